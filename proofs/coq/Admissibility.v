(** * What a run returns and what it asks about (claims A1, A2, D1, D2)

    Main results, for every supply, plan and starting parameter
    - [applied_parameters_in_domain] (A1): with an exact domain oracle, the start and every applied parameter
      are in the domain; [returned_in_domain]
    - [returned_is_last_applied] (A2): what is returned is the last applied parameter, or the start
    - [stop_on_undefined_gradient], [stop_on_invalid_update] (A2): the question that stopped the run was asked
      about the returned parameter
    - [frozen_data_unchanged] (D1): all gradient questions of one outer iteration carry the same frozen data;
      [frozen_data_is_what_was_drawn]: and these are what was drawn at its start
    - [reference_unchanged] (D2): every gradient question of the run carries the reference the run began with
    - [gradient_question]: where, about what and with which answer the gradient is asked *)
Require Import List Lia Arith.
From Grpo Require Import Procedure.
Import ListNotations.

Section Admissibility.
Context {Theta Gradient Prompt Response Reward Reference : Type}.
Variable operations : supply Theta Gradient Prompt Response Reward Reference.
Variable p : plan Prompt Reference.

Notation M := (length (prompts p)).
Notation G := (group_size p).
Notation T := (outer_budget p).
Notation K := (inner_budget p).
Notation Event := (event Theta Gradient Prompt Response Reward Reference).

(** The frozen data of outer iteration t, started from [old]. *)
Definition frozen_at (t : nat) (old : Theta) : frozen_data Theta Prompt Response Reward Reference :=
  Frozen old (reference_policy p) (draw_groups operations p t old).

(** ** The last valid parameter (A2) *)
Lemma last_cons {A : Type} (a d : A) l : last (a :: l) d = last l a.
Proof.
  revert a d. induction l as [|b l IH]; intros a d; [reflexivity|].
  change (last (b :: l) d = last (b :: l) a). rewrite !IH. reflexivity.
Qed.

Lemma last_app {A : Type} (l1 l2 : list A) d : last (l1 ++ l2) d = last l2 (last l1 d).
Proof.
  revert d. induction l1 as [|a l1 IH]; intros d; [reflexivity|].
  change (last (a :: l1 ++ l2) d = last l2 (last (a :: l1) d)). rewrite !last_cons. apply IH.
Qed.

Lemma applied_in_draw_events t drawn : applied_in (draw_events t drawn : list Event) = [].
Proof.
  enough (forall e, In e (draw_events t drawn : list Event) -> applied_in [e] = []) as none.
  - induction (draw_events t drawn) as [|e l IH]; [reflexivity|].
    transitivity (applied_in [e] ++ applied_in l); [apply (flat_map_app _ [e] l)|].
    rewrite (none e (or_introl eq_refl)). apply IH. intros; apply none; simpl; auto.
  - intros e e_in. apply in_draw_events in e_in. destruct e_in as (prompt & i & [[y ->]|[r ->]]); reflexivity.
Qed.

Lemma applied_after earlier (o : outcome Theta Gradient Prompt Response Reward Reference) :
  applied_parameters (after earlier o) = applied_in earlier ++ applied_parameters o.
Proof. apply flat_map_app. Qed.

Lemma inner_steps_return_last n : forall t k frozen theta,
  let o := inner_steps operations n t k frozen theta in returned o = last (applied_parameters o) theta.
Proof.
  induction n as [|n IH]; intros; subst o; [reflexivity|]. simpl.
  destruct (gradient operations t k frozen theta) as [g|]; [|reflexivity].
  destruct (member operations t k _); [|reflexivity].
  simpl. rewrite IH. symmetry. apply (last_cons _ theta).
Qed.

Lemma outer_iteration_returns_last t theta drawn :
  let o := outer_iteration operations p t theta drawn in returned o = last (applied_parameters o) theta.
Proof.
  intros o. unfold o, outer_iteration. rewrite applied_after. simpl.
  fold (applied_in (draw_events t drawn : list Event)). rewrite applied_in_draw_events. apply inner_steps_return_last.
Qed.

Lemma outer_iterations_return_last n : forall t theta,
  let o := outer_iterations operations p n t theta in returned o = last (applied_parameters o) theta.
Proof.
  induction n as [|n IH]; intros; subst o; [reflexivity|]. cbn [outer_iterations]; cbv zeta.
  pose proof (outer_iteration_returns_last t theta (draw_groups operations p t theta)) as first.
  destruct (ended _) eqn:status; [|exact first..].
  rewrite applied_after, last_app. fold (applied_parameters (outer_iteration operations p t theta
    (draw_groups operations p t theta))). rewrite <- first. apply IH.
Qed.

(** ** What the events of a run say *)
Section Domain.
Variable domain : Theta -> Prop.
Hypothesis member_sound : forall t k theta, member operations t k theta = true -> domain theta.

Definition inner_event t k n frozen theta (e : Event) : Prop :=
  match e with
  | started _ _ | drew _ _ _ _ | rewarded _ _ _ _ => False
  | asked_gradient t' k' frozen' theta' answer =>
      t' = t /\ k <= k' < k + n /\ frozen' = frozen /\ answer = gradient operations t k' frozen theta' /\
      (k' = k -> theta' = theta) /\ domain theta'
  | asked_membership t' k' proposal answer => answer = member operations t' k' proposal
  | applied t' k' theta' => domain theta'
  end.

Lemma inner_steps_events n : forall t k frozen theta, domain theta ->
  Forall (inner_event t k n frozen theta) (trace (inner_steps operations n t k frozen theta)).
Proof.
  induction n as [|n IH]; intros t k frozen theta inside; [constructor|]. simpl.
  destruct (gradient operations t k frozen theta) as [g|] eqn:answered;
    [|repeat constructor; (lia || congruence || auto)].
  set (proposal := propose operations t k theta g) in *.
  destruct (member operations t k proposal) eqn:admitted; repeat constructor; try (lia || congruence); auto.
  - apply member_sound in admitted; exact admitted.
  - apply member_sound in admitted. eapply Forall_impl; [|apply (IH t (S k) frozen proposal admitted)].
    intros [] fact; simpl in *; try assumption. intuition lia.
Qed.

(** An event of outer iterations t .. t + n - 1. *)
Definition run_event t n (e : Event) : Prop :=
  match e with
  | started t' old => t <= t' < t + n /\ domain old
  | drew t' _ _ _ | rewarded t' _ _ _ => t <= t' < t + n
  | asked_gradient t' k frozen theta answer =>
      t <= t' < t + n /\ 1 <= k <= K /\ frozen = frozen_at t' (old_parameter frozen) /\
      answer = gradient operations t' k frozen theta /\ (k = 1 -> theta = old_parameter frozen) /\
      domain (old_parameter frozen) /\ domain theta
  | asked_membership t' k proposal answer => answer = member operations t' k proposal
  | applied t' k theta => domain theta
  end.

Lemma outer_iteration_events t theta : domain theta ->
  Forall (run_event t 1) (trace (outer_iteration operations p t theta (draw_groups operations p t theta))).
Proof.
  intros inside. simpl. constructor; [simpl; split; [lia|exact inside]|]. apply Forall_app. split.
  - apply Forall_forall. intros e e_in. apply in_draw_events in e_in.
    destruct e_in as (prompt & i & [[y ->]|[r ->]]); simpl; lia.
  - eapply Forall_impl; [|apply inner_steps_events; exact inside].
    intros [] fact; simpl in *; try contradiction; try assumption.
    destruct fact as (-> & ? & -> & -> & ? & ?). simpl. repeat split; (lia || auto).
Qed.

Lemma applied_inside t n events : Forall (run_event t n) events -> Forall domain (applied_in events).
Proof.
  induction 1 as [|e l fact _ IH]; [constructor|]. destruct e; try exact IH. constructor; assumption.
Qed.

Lemma last_inside l theta : domain theta -> Forall domain l -> domain (last l theta).
Proof. intros inside all. revert theta inside. induction all; intros; [assumption|]. rewrite last_cons. auto. Qed.

Lemma run_event_weaken t n t' n' e : t' <= t -> t + n <= t' + n' -> run_event t n e -> run_event t' n' e.
Proof. destruct e; simpl; intuition lia. Qed.

Lemma outer_iterations_events n : forall t theta, domain theta ->
  Forall (run_event t n) (trace (outer_iterations operations p n t theta)).
Proof.
  induction n as [|n IH]; intros t theta inside; [constructor|]. cbn [outer_iterations]; cbv zeta.
  pose proof (outer_iteration_events t theta inside) as first.
  pose proof (outer_iteration_returns_last t theta (draw_groups operations p t theta)) as last_one.
  destruct (ended _) eqn:status.
  - apply Forall_app. split.
    + eapply Forall_impl; [|exact first]. intros e. apply run_event_weaken; lia.
    + eapply Forall_impl; [|apply IH]; [intros e; apply run_event_weaken; lia|].
      rewrite last_one. apply last_inside; [exact inside|]. eapply applied_inside; exact first.
  - eapply Forall_impl; [|exact first]. intros e. apply run_event_weaken; lia.
  - eapply Forall_impl; [|exact first]. intros e. apply run_event_weaken; lia.
Qed.

Variable theta_0 : Theta.
Hypothesis start_inside : domain theta_0.

Theorem gradient_question t k frozen theta answer :
  In (asked_gradient t k frozen theta answer) (trace (run operations p theta_0)) ->
  1 <= t <= T /\ 1 <= k <= K /\ frozen = frozen_at t (old_parameter frozen) /\
  answer = gradient operations t k frozen theta /\ (k = 1 -> theta = old_parameter frozen) /\
  domain (old_parameter frozen) /\ domain theta.
Proof.
  intros asked. pose proof (outer_iterations_events T 1 theta_0 start_inside) as all.
  rewrite Forall_forall in all. specialize (all _ asked). simpl in all. intuition lia.
Qed.

Theorem applied_parameters_in_domain : Forall domain (theta_0 :: applied_parameters (run operations p theta_0)).
Proof.
  constructor; [exact start_inside|]. eapply applied_inside. apply outer_iterations_events; exact start_inside.
Qed.

Theorem returned_in_domain : domain (returned (run operations p theta_0)).
Proof.
  unfold run. rewrite outer_iterations_return_last. apply last_inside; [exact start_inside|].
  pose proof applied_parameters_in_domain as all. inversion all; assumption.
Qed.
End Domain.

(** ** The question that stopped the run (A2) *)
Definition stopping_events (o : outcome Theta Gradient Prompt Response Reward Reference) (e : list Event) : Prop :=
  match ended o with
  | complete => True
  | undefined_gradient => exists t k frozen, e = [asked_gradient t k frozen (returned o) None]
  | invalid_update => exists t k frozen g, e =
      [asked_gradient t k frozen (returned o) (Some g);
       asked_membership t k (propose operations t k (returned o) g) false]
  end.

Lemma inner_steps_stop n : forall t k frozen theta,
  let o := inner_steps operations n t k frozen theta in
  exists earlier final, trace o = earlier ++ final /\ stopping_events o final.
Proof.
  induction n as [|n IH]; intros; subst o; simpl; [exists [], []; split; [reflexivity|exact I]|].
  destruct (gradient operations t k frozen theta) as [g|].
  2: { exists [], [asked_gradient t k frozen theta None]. split; [reflexivity|]. exists t, k, frozen. reflexivity. }
  destruct (member operations t k _).
  - destruct (IH t (S k) frozen (propose operations t k theta g)) as (earlier & final & split_at & stop).
    eexists (_ :: _ :: _ :: earlier), final. simpl. rewrite split_at. split; [reflexivity|exact stop].
  - eexists [], _. split; [reflexivity|]. exists t, k, frozen, g. reflexivity.
Qed.

Lemma outer_iterations_stop n : forall t theta,
  let o := outer_iterations operations p n t theta in
  exists earlier final, trace o = earlier ++ final /\ stopping_events o final.
Proof.
  induction n as [|n IH]; intros; subst o; [exists [], []; split; [reflexivity|exact I]|].
  cbn [outer_iterations]; cbv zeta. set (first := outer_iteration _ _ _ _ _).
  assert (exists earlier final, trace first = earlier ++ final /\ stopping_events first final) as here.
  { destruct (inner_steps_stop K t 1 (frozen_at t theta) theta) as (earlier & final & split_at & stop).
    exists ((started t theta :: draw_events t (draw_groups operations p t theta)) ++ earlier), final.
    split; [|exact stop]. rewrite <- app_assoc, <- split_at. reflexivity. }
  destruct (ended first) eqn:status; [|exact here..].
  destruct (IH (S t) (returned first)) as (earlier & final & split_at & stop).
  exists (trace first ++ earlier), final. split; [|exact stop]. rewrite <- app_assoc, <- split_at. reflexivity.
Qed.

(** ** Frozen data (D1, D2) *)
Lemma frozen_data_unchanged_from n : forall t theta t' k frozen asked answer k' frozen' asked' answer',
  let events := trace (outer_iterations operations p n t theta) in
  In (asked_gradient t' k frozen asked answer) events -> In (asked_gradient t' k' frozen' asked' answer') events ->
  frozen = frozen'.
Proof.
  pose (anywhere := fun _ : Theta => True).
  assert (sound : forall t k theta, member operations t k theta = true -> anywhere theta) by (unfold anywhere; auto).
  induction n as [|n IH]; intros t theta t' k frozen asked answer k' frozen' asked' answer' events; [contradiction|].
  subst events. cbn [outer_iterations]; cbv zeta.
  assert (here : forall t' k frozen asked answer,
    In (asked_gradient t' k frozen asked answer)
      (trace (outer_iteration operations p t theta (draw_groups operations p t theta))) ->
    t' = t /\ frozen = frozen_at t theta).
  { intros t1 k1 frozen1 asked1 answer1 in_first. simpl in in_first.
    destruct in_first as [different|in_first]; [discriminate|]. apply in_app_or in in_first.
    destruct in_first as [drawing|inner].
    - apply in_draw_events in drawing. destruct drawing as (? & ? & [[? ?]|[? ?]]); discriminate.
    - pose proof (inner_steps_events anywhere sound K t 1 (frozen_at t theta) theta I) as all.
      rewrite Forall_forall in all. specialize (all _ inner). simpl in all. tauto. }
  set (first := outer_iteration operations p t theta _) in *.
  destruct (ended first) eqn:status;
    [|intros in_first in_first'; apply here in in_first; apply here in in_first'; intuition congruence..].
  pose proof (outer_iterations_events anywhere sound n (S t) (returned first) I) as later.
  rewrite Forall_forall in later. intros in_1 in_2. apply in_app_or in in_1. apply in_app_or in in_2.
  destruct in_1 as [in_1|in_1], in_2 as [in_2|in_2].
  - apply here in in_1. apply here in in_2. intuition congruence.
  - apply here in in_1. apply later in in_2. simpl in in_2. lia.
  - apply here in in_2. apply later in in_1. simpl in in_1. lia.
  - eapply IH; eassumption.
Qed.

(** ** The claims that need no domain *)
Section Claims.
Variable theta_0 : Theta.
Notation o := (run operations p theta_0).

Theorem returned_is_last_applied : returned o = last (applied_parameters o) theta_0.
Proof. apply outer_iterations_return_last. Qed.

Theorem stop_on_undefined_gradient : ended o = undefined_gradient ->
  exists earlier t k frozen, trace o = earlier ++ [asked_gradient t k frozen (returned o) None].
Proof.
  intros status. destruct (outer_iterations_stop T 1 theta_0) as (earlier & final & split_at & stop).
  fold (run operations p theta_0) in *. unfold stopping_events in stop. rewrite status in stop.
  destruct stop as (t & k & frozen & ->). exists earlier, t, k, frozen. exact split_at.
Qed.

Theorem stop_on_invalid_update : ended o = invalid_update ->
  exists earlier t k frozen g, trace o = earlier ++
    [asked_gradient t k frozen (returned o) (Some g);
     asked_membership t k (propose operations t k (returned o) g) false].
Proof.
  intros status. destruct (outer_iterations_stop T 1 theta_0) as (earlier & final & split_at & stop).
  fold (run operations p theta_0) in *. unfold stopping_events in stop. rewrite status in stop.
  destruct stop as (t & k & frozen & g & ->). exists earlier, t, k, frozen, g. exact split_at.
Qed.

Theorem frozen_data_unchanged t k frozen theta answer k' frozen' theta' answer' :
  In (asked_gradient t k frozen theta answer) (trace o) ->
  In (asked_gradient t k' frozen' theta' answer') (trace o) -> frozen = frozen'.
Proof. apply frozen_data_unchanged_from. Qed.

Theorem frozen_data_is_what_was_drawn t k frozen theta answer :
  In (asked_gradient t k frozen theta answer) (trace o) ->
  groups frozen = draw_groups operations p t (old_parameter frozen).
Proof.
  intros asked. apply (gradient_question (fun _ => True)) in asked; auto.
  destruct asked as (_ & _ & equal & _). rewrite equal. reflexivity.
Qed.

Theorem reference_unchanged t k frozen theta answer :
  In (asked_gradient t k frozen theta answer) (trace o) -> reference frozen = reference_policy p.
Proof.
  intros asked. apply (gradient_question (fun _ => True)) in asked; auto.
  destruct asked as (_ & _ & equal & _). rewrite equal. reflexivity.
Qed.
End Claims.
End Admissibility.

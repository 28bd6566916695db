(** * The oracle budgets of a run (claims C1 to C4)

    All counts are numbers of events in the trace, which is what a ledger has to agree with.

    Main results, for every supply, plan and starting parameter
    - [draws_per_started_iteration] (C1): draws = M * G * outer iterations started; [rewards_are_draws]
    - [draws_at_most], [draws_on_completion] (C1): never more than T * M * G, and exactly that on complete
    - [attempts_are_steps_and_stop], [attempts_at_most] (C2)
    - [membership_calls_are_answered_attempts], [membership_calls_at_most_attempts] (C3)
    - [run_terminates_within_bound] (C4): one of three statuses after at most T (1 + 2 M G + 3 K) events
    - [completed_steps]: on complete every one of the T * K steps was applied *)
Require Import List Lia Arith.
From Grpo Require Import Procedure.
Import ListNotations.

Section Budgets.
Context {Theta Gradient Prompt Response Reward Reference : Type}.
Variable operations : supply Theta Gradient Prompt Response Reward Reference.
Variable p : plan Prompt Reference.

Notation M := (length (prompts p)).
Notation G := (group_size p).
Notation T := (outer_budget p).
Notation K := (inner_budget p).
Notation Event := (event Theta Gradient Prompt Response Reward Reference).

(** 1 when the run stopped early, for either reason. *)
Definition stops (s : status) : nat := match s with complete => 0 | _ => 1 end.
Definition refusals (s : status) : nat := match s with invalid_update => 1 | _ => 0 end.

Lemma calls_after kind earlier (o : outcome Theta Gradient Prompt Response Reward Reference) :
  calls kind (after earlier o) = length (filter kind earlier) + calls kind o.
Proof. unfold calls; simpl. rewrite filter_app, app_length. reflexivity. Qed.

(** ** What one call of each part contributes *)
Lemma draw_events_without kind t drawn :
  (forall prompt i y, kind (drew t prompt i y : Event) = false) ->
  (forall prompt i r, kind (rewarded t prompt i r : Event) = false) -> filter kind (draw_events t drawn) = [].
Proof.
  intros no_draw no_reward. enough (forall e, In e (draw_events t drawn) -> kind e = false) as none.
  - induction (draw_events t drawn) as [|e l IH]; [reflexivity|].
    simpl. rewrite none by (simpl; auto). apply IH. intros; apply none; simpl; auto.
  - intros e e_in. apply in_draw_events in e_in. destruct e_in as (prompt & i & [[y ->]|[r ->]]); auto.
Qed.

Lemma drawn_groups_full t theta prompt group :
  In (prompt, group) (draw_groups operations p t theta) -> length group = G.
Proof.
  unfold draw_groups. intros group_in. apply in_map_iff in group_in. destruct group_in as (q & equal & _).
  injection equal as _ <-. unfold draw_group. rewrite map_length, seq_length. reflexivity.
Qed.

Lemma filter_map {A B : Type} (kind : B -> bool) (f : A -> B) l counted : (forall a, kind (f a) = counted) ->
  length (filter kind (map f l)) = if counted then length l else 0.
Proof.
  intros uniform. induction l as [|a l IH]; simpl; [destruct counted; reflexivity|].
  rewrite uniform. destruct counted; simpl; rewrite IH; reflexivity.
Qed.

Lemma draw_events_calls t drawn : (forall prompt group, In (prompt, group) drawn -> length group = G) ->
  length (filter is_draw (draw_events t drawn : list Event)) = length drawn * G /\
  length (filter is_reward (draw_events t drawn : list Event)) = length drawn * G /\
  length (draw_events t drawn : list Event) = 2 * (length drawn * G).
Proof.
  unfold draw_events. induction drawn as [|[prompt group] drawn IH]; intros full; [auto|].
  destruct IH as (draws & rewards & all); [intros q g g_in; apply (full q g); simpl; auto|].
  pose proof (full prompt group (or_introl eq_refl)) as size. simpl flat_map.
  rewrite !filter_app, !app_length, !map_length, draws, rewards, all.
  rewrite (filter_map is_draw _ _ true), (filter_map is_draw _ _ false), (filter_map is_reward _ _ false),
    (filter_map is_reward _ _ true) by (intros [i [y r]]; reflexivity).
  rewrite combine_length, seq_length, Nat.min_id, size. simpl. lia.
Qed.

(** What is kept by each part: a part that may start [starts] outer iterations, apply [steps] steps and
    leave [events] events. *)
Definition within_budget (starts steps events : nat) (o : outcome Theta Gradient Prompt Response Reward Reference) :=
  calls is_start o <= starts /\
  calls is_draw o = M * G * calls is_start o /\
  calls is_reward o = calls is_draw o /\
  calls is_gradient_attempt o = calls is_applied o + stops (ended o) /\
  calls is_membership_call o = calls is_answered_gradient o /\
  calls is_answered_gradient o = calls is_applied o + refusals (ended o) /\
  calls is_applied o + stops (ended o) <= steps /\
  length (trace o) <= events /\
  (ended o = complete -> calls is_start o = starts /\ calls is_applied o = steps).

Lemma inner_steps_within_budget n : forall t k frozen theta,
  within_budget 0 n (3 * n) (inner_steps operations n t k frozen theta).
Proof.
  induction n as [|n IH]; intros; simpl; [unfold within_budget, calls; simpl; lia|].
  destruct (gradient operations t k frozen theta) as [g|];
    [|unfold within_budget, calls; simpl; repeat split; (lia || discriminate)].
  destruct (member operations t k _);
    [|unfold within_budget, calls; simpl; repeat split; (lia || discriminate)].
  specialize (IH t (S k) frozen (propose operations t k theta g)).
  unfold within_budget in *. rewrite !calls_after. simpl. intuition lia.
Qed.

Lemma outer_iteration_within_budget t theta :
  within_budget 1 K (1 + 2 * (M * G) + 3 * K) (outer_iteration operations p t theta (draw_groups operations p t theta)).
Proof.
  set (drawn := draw_groups operations p t theta).
  assert (per_prompt : length drawn = M) by (unfold drawn, draw_groups; apply map_length).
  destruct (draw_events_calls t drawn (drawn_groups_full t theta)) as (draws & rewards & all).
  rewrite per_prompt in draws, rewards, all.
  pose proof (inner_steps_within_budget K t 1 (Frozen theta (reference_policy p) drawn) theta) as inner.
  unfold outer_iteration, within_budget in *. rewrite !calls_after. simpl.
  rewrite app_length, draws, rewards, all, !(draw_events_without _ t drawn) by reflexivity. simpl.
  intuition lia.
Qed.

Lemma within_budget_after starts_1 steps_1 events_1 starts_2 steps_2 events_2 o_1 o_2 :
  within_budget starts_1 steps_1 events_1 o_1 -> ended o_1 = complete -> within_budget starts_2 steps_2 events_2 o_2 ->
  within_budget (starts_1 + starts_2) (steps_1 + steps_2) (events_1 + events_2) (after (trace o_1) o_2).
Proof.
  unfold within_budget. intros first done second. rewrite !calls_after. unfold calls in *. simpl.
  rewrite done in first. rewrite app_length. simpl in first. intuition lia.
Qed.

Lemma within_budget_stopped starts steps events starts_2 steps_2 events_2 o :
  within_budget starts steps events o -> ended o <> complete ->
  within_budget (starts + starts_2) (steps + steps_2) (events + events_2) o.
Proof. unfold within_budget. intuition lia. Qed.

Lemma outer_iterations_within_budget n : forall t theta,
  within_budget n (n * K) (n * (1 + 2 * (M * G) + 3 * K)) (outer_iterations operations p n t theta).
Proof.
  induction n as [|n IH]; intros; [unfold within_budget, calls; simpl; lia|]. cbn [outer_iterations]; cbv zeta.
  pose proof (outer_iteration_within_budget t theta) as first.
  destruct (ended _) eqn:status; [apply (within_budget_after 1 K _ n (n * K) _ _ _ first status); apply IH|..];
    apply (within_budget_stopped 1 K _ n (n * K) _ _ first); rewrite status; discriminate.
Qed.

(** ** The claims *)
Variable theta_0 : Theta.
Notation o := (run operations p theta_0).

Lemma run_within_budget : within_budget T (T * K) (T * (1 + 2 * (M * G) + 3 * K)) o.
Proof. apply outer_iterations_within_budget. Qed.

Theorem iterations_started_at_most : calls is_start o <= T.
Proof. apply run_within_budget. Qed.

Theorem draws_per_started_iteration : calls is_draw o = M * G * calls is_start o.
Proof. apply run_within_budget. Qed.

Theorem rewards_are_draws : calls is_reward o = calls is_draw o.
Proof. apply run_within_budget. Qed.

Theorem draws_at_most : calls is_draw o <= T * M * G.
Proof.
  rewrite draws_per_started_iteration. replace (T * M * G) with (M * G * T) by ring.
  apply Nat.mul_le_mono_l, iterations_started_at_most.
Qed.

Theorem draws_on_completion : ended o = complete -> calls is_draw o = T * M * G.
Proof.
  intros done. rewrite draws_per_started_iteration. destruct run_within_budget as (_ & _ & _ & _ & _ & _ & _ & _ & all).
  destruct (all done) as [-> _]. lia.
Qed.

Theorem attempts_are_steps_and_stop : calls is_gradient_attempt o = calls is_applied o + stops (ended o).
Proof. apply run_within_budget. Qed.

Theorem attempts_at_most : calls is_gradient_attempt o <= T * K.
Proof. rewrite attempts_are_steps_and_stop. apply run_within_budget. Qed.

Theorem membership_calls_are_answered_attempts : calls is_membership_call o = calls is_answered_gradient o.
Proof. apply run_within_budget. Qed.

Theorem membership_calls_at_most_attempts : calls is_membership_call o <= calls is_gradient_attempt o.
Proof. pose proof run_within_budget as budget. unfold within_budget in budget. destruct (ended o); simpl in *; lia. Qed.

Theorem completed_steps : ended o = complete -> calls is_applied o = T * K.
Proof. apply run_within_budget. Qed.

Theorem run_terminates_within_bound :
  (ended o = complete \/ ended o = undefined_gradient \/ ended o = invalid_update) /\
  length (trace o) <= T * (1 + 2 * (M * G) + 3 * K).
Proof. split; [destruct (ended o); auto|apply run_within_budget]. Qed.
End Budgets.

(** * A small exact system: the hypotheses can be met, and the stop is reached

    Two responses per prompt, [true] with mass theta and [false] with mass 1 - theta, on the open interval (0, 1), with
    epsilon = 1/5; draws are scripted, and the gradient oracle decides claim F2 and answers with the differential.

    Main results
    - [two_response_problem_lawful], [two_response_supply_exact]: the problem and the supply, for any number of prompts
    - [assumptions_can_be_met]: an instance of everything that Update.v and ObjectiveGradient.v assume, all at once
    - [stops_with_undefined_gradient]: from theta = 1/2 with steps 1/20 the first step lands on 3/5, where a drawn ratio
      is 6/5; the run returns 3/5 after 2 draws, 2 gradient attempts, 1 membership call and 1 applied step *)
From Coquelicot Require Import Coquelicot.
Require Import Reals Lra List Lia.
From Grpo Require Import FiniteSums Procedure Admissibility Advantage ClippedTerm FiniteLaws Divergence Differentials
  Objective ObjectiveGradient Update.
Import ListNotations.
Open Scope R_scope.

Section TwoResponses.
Context {Prompt : Type}.
Variable beta : R.
Hypothesis beta_nonneg : 0 <= beta.

Definition two_response_problem : problem R_NormedModule Prompt bool :=
  Problem R_NormedModule Prompt bool (fun _ => [true; false]) (fun theta => 0 < theta < 1)
    (fun theta _ b => if b then theta else 1 - theta) (1/5) beta.
Notation P := two_response_problem.

Lemma two_response_law (theta : R) : 0 < theta < 1 ->
  law [true; false] (fun b : bool => if b then theta else 1 - theta).
Proof. intros inside. split; [intros [|] _; lra|unfold sum_over; simpl; ring]. Qed.

Theorem two_response_problem_lawful : lawful P.
Proof. constructor; simpl; [intros theta _; apply two_response_law|lra|exact beta_nonneg]. Qed.

Definition mass_differential (_ : Prompt) (b : bool) (v : R) : R := if b then v else - v.

Lemma masses_differentiable (theta : R_NormedModule) q b :
  differential_at (fun y => policy P y q b) theta (mass_differential q b).
Proof.
  destruct b; simpl; [apply differential_id|].
  eapply differential_ext_map; [|apply (differential_minus (V := R_NormedModule) (fun _ => 1) (fun y => y));
    [apply differential_const|apply differential_id]]. intros v; simpl; ring.
Qed.

(** ** The gradient oracle *)
Notation frozen_update := (frozen_groups R_NormedModule Prompt bool).
Variable frozen : frozen_update.
Variable theta : R_NormedModule.

Definition decide_on_bound q g d : {on_active_bound P frozen theta q g d} + {~ on_active_bound P frozen theta q g d}.
Proof.
  unfold on_active_bound. destruct (Req_EM_T (group_advantage g d) 0) as [zero|nonzero]; [right; tauto|].
  destruct (Req_EM_T (sequence_ratio P frozen theta q (fst d)) (active_bound (1/5) (group_advantage g d)));
    [left|right]; tauto.
Defined.

Definition some_on_bound : bool :=
  existsb (fun i => if decide_on_bound (fst (fst i)) (snd (fst i)) (snd i) then true else false) (occurrences frozen).

Lemma some_on_bound_iff :
  some_on_bound = true <-> exists q g d, occurs frozen q g d /\ on_active_bound P frozen theta q g d.
Proof.
  unfold some_on_bound. rewrite existsb_exists. split.
  - intros ([[q g] d] & i_in & bound). apply in_dependent_pairs in i_in. exists q, g, d. split; [exact i_in|].
    simpl in bound. destruct (decide_on_bound q g d); [assumption|discriminate].
  - intros (q & g & d & d_in & bound). exists ((q, g), d). split; [apply in_dependent_pairs, d_in|].
    simpl. destruct (decide_on_bound q g d); [reflexivity|contradiction].
Qed.

Definition two_response_gradient : option R :=
  if some_on_bound then None else Some (objective_differential P frozen theta mass_differential 1).

Lemma two_response_gradient_exact G : domain P theta -> well_drawn P G frozen ->
  (two_response_gradient = None <-> ~ differentiable (objective P frozen) theta).
Proof.
  intros inside drawn.
  rewrite (objective_differentiable_iff P two_response_problem_lawful G frozen drawn theta inside mass_differential)
    by (intros; apply masses_differentiable).
  unfold two_response_gradient. pose proof some_on_bound_iff as decided. destruct some_on_bound.
  - destruct (proj1 decided eq_refl) as (q & g & d & d_in & bound). split; [|reflexivity]. intros _ flat.
    specialize (flat q g d d_in bound 1). unfold ratio_differential, mass_differential in flat. simpl in flat.
    pose proof (old_in_domain _ _ _ drawn) as old_inside. simpl in old_inside.
    apply Rmult_integral in flat. destruct flat as [flat|flat]; [|destruct (fst d); lra].
    revert flat. apply Rinv_neq_0_compat. destruct (fst d); lra.
  - split; [discriminate|]. intros kink. exfalso. apply kink. intros q g d d_in bound.
    enough (false = true) by discriminate. apply decided. exists q, g, d. auto.
Qed.
End TwoResponses.

Section Supply.
Context {Prompt : Type}.
Variables (beta eta : R) (reward : Prompt -> bool -> R) (script : nat -> Prompt -> nat -> bool).

Definition two_response_supply : supply R_NormedModule R Prompt bool R (Prompt -> bool -> R) :=
  Supply (fun t q i _ => script t q i) reward
    (fun _ _ frozen theta => two_response_gradient beta frozen theta)
    (fun _ _ theta g => theta + eta * g)
    (fun _ _ theta => if Rlt_dec 0 theta then if Rlt_dec theta 1 then true else false else false).

Theorem two_response_supply_exact (p : plan Prompt (Prompt -> bool -> R)) :
  0 <= beta -> exact_supply (two_response_problem beta) p two_response_supply.
Proof.
  intros beta_nonneg. constructor; simpl.
  - intros _ _ theta. destruct (Rlt_dec 0 theta), (Rlt_dec theta 1); split; intros; try lra; try congruence; auto.
  - intros t q i _ _. destruct (script t q i); auto.
  - intros _ _ frozen theta. apply two_response_gradient_exact, beta_nonneg.
Qed.
End Supply.
Arguments two_response_gradient : simpl never.

(** ** The stop *)
Definition even_reference (Prompt : Type) (_ : Prompt) (_ : bool) : R := 1/2.
Definition one_prompt_plan (T K : nat) : plan unit (unit -> bool -> R) := Plan T [tt] 2 K (even_reference unit).
Definition true_then_false (Prompt : Type) (_ : nat) (_ : Prompt) (i : nat) : bool := Nat.eqb i 1.
Definition rewards_true (_ : unit) (b : bool) : R := if b then 1 else 0.

Section Stop.
Variable beta : R.
Hypothesis beta_nonneg : 0 <= beta.
Notation operations := (two_response_supply beta (1/20) rewards_true (true_then_false unit)).
Notation P := (two_response_problem (Prompt := unit) beta).
Notation group := [(true, 1); (false, 0)].
Notation frozen := (Frozen (1/2 : R_NormedModule) (even_reference unit) [(tt, group)]).

Theorem assumptions_can_be_met (T K : nat) :
  lawful P /\ fitting_plan P (one_prompt_plan T K) /\ exact_supply P (one_prompt_plan T K) operations /\
  domain P (1/2 : R_NormedModule) /\ open (domain P) /\
  (forall (theta : R_NormedModule) q b, domain P theta -> In b (support P q) ->
     differential_at (fun y => policy P y q b) theta (mass_differential q b)).
Proof.
  refine (conj (two_response_problem_lawful beta beta_nonneg) (conj _ (conj _ (conj _ (conj _ _))))).
  - constructor; simpl; [discriminate|lia|]. intros q. unfold even_reference.
    split; [intros; lra|unfold sum_over; simpl; lra].
  - apply two_response_supply_exact, beta_nonneg.
  - simpl. lra.
  - exact (open_and (fun theta : R => 0 < theta) (fun theta : R => theta < 1) (open_gt 0) (open_lt 1)).
  - intros theta q b _ _. apply masses_differentiable.
Qed.

Lemma stop_advantages : group_advantage group (true, 1) = 1 /\ group_advantage group (false, 0) = -1.
Proof. apply advantages_of_two; [auto|simpl; lra]. Qed.

(** Ratios at theta of the two drawn responses: 2 theta and 2 (1 - theta), against 6/5 and 4/5. *)
Lemma on_bound_at theta d : In d group -> (on_active_bound P frozen theta tt group d <-> theta = 3/5).
Proof.
  destruct stop_advantages as [good bad]. unfold on_active_bound, sequence_ratio, active_bound.
  intros [<-|[<-|[]]]; simpl; rewrite ?good, ?bad; destruct (Rlt_dec 0 _); try lra;
    (split; [intros [_ tie]; lra|intros ->; split; lra]).
Qed.

Lemma some_on_bound_at theta : some_on_bound beta frozen theta = true <-> theta = 3/5.
Proof.
  rewrite some_on_bound_iff. split.
  - intros (q & g & d & [[equal|[]] d_in] & bound). injection equal as <- <-. apply (on_bound_at theta d d_in), bound.
  - intros tie. exists tt, group, (true, 1). split; [split; simpl; auto|]. apply on_bound_at; [simpl; auto|exact tie].
Qed.

Lemma gradient_at_start : two_response_gradient beta frozen (1/2) = Some 2.
Proof.
  unfold two_response_gradient. pose proof (some_on_bound_at (1/2)) as [bound _].
  destruct (some_on_bound beta frozen (1/2)); [specialize (bound eq_refl); lra|]. f_equal.
  destruct stop_advantages as [good bad].
  unfold objective_differential, average, term_differential, penalty_differential, ratio_differential, sequence_ratio,
    active_bound, sum_over, even_reference. simpl. rewrite good, bad.
  repeat destruct (Rlt_dec _ _); try lra.
  all: replace (1/2 / (1/2)) with 1 in * by field; replace ((1 - 1/2) / (1/2)) with 1 in * by field.
  all: rewrite ?ln_1; try lra; try field.
Qed.

Lemma gradient_at_bound : two_response_gradient beta frozen (3/5) = None.
Proof.
  unfold two_response_gradient. pose proof (some_on_bound_at (3/5)) as [_ bound]. rewrite (bound eq_refl). reflexivity.
Qed.

Lemma stopped_inner_steps : inner_steps operations 2 1 1 frozen (1/2 : R_NormedModule) =
  Outcome (3/5) undefined_gradient
    [asked_gradient 1 1 frozen (1/2) (Some 2); asked_membership 1 1 (3/5) true; applied 1 1 (3/5);
     asked_gradient 1 2 frozen (3/5) None].
Proof.
  assert (first : gradient operations 1 1 frozen (1/2 : R_NormedModule) = Some 2) by exact gradient_at_start.
  assert (second : gradient operations 1 2 frozen (3/5 : R_NormedModule) = None) by exact gradient_at_bound.
  assert (step : propose operations 1 1 (1/2 : R_NormedModule) 2 = (3/5 : R)) by (simpl; field).
  assert (inside : member operations 1 1 (3/5 : R_NormedModule) = true)
    by (simpl; destruct (Rlt_dec 0 (3/5)), (Rlt_dec (3/5) 1); (reflexivity || lra)).
  cbn [inner_steps]. rewrite first. cbv zeta. rewrite step, inside, second. reflexivity.
Qed.

Theorem stops_with_undefined_gradient :
  run operations (one_prompt_plan 1 2) (1/2 : R_NormedModule) =
  Outcome (3/5) undefined_gradient
    [started 1 (1/2); drew 1 tt 1 true; drew 1 tt 2 false; rewarded 1 tt 1 1; rewarded 1 tt 2 0;
     asked_gradient 1 1 frozen (1/2) (Some 2); asked_membership 1 1 (3/5) true; applied 1 1 (3/5);
     asked_gradient 1 2 frozen (3/5) None].
Proof.
  unfold run. cbn [outer_iterations outer_budget one_prompt_plan]. unfold outer_iteration.
  change (inner_steps _ _ _ _ _ _) with (inner_steps operations 2 1 1 frozen (1/2 : R_NormedModule)).
  rewrite stopped_inner_steps. reflexivity.
Qed.

Theorem stop_ledger : let o := run operations (one_prompt_plan 1 2) (1/2 : R_NormedModule) in
  calls is_draw o = 2%nat /\ calls is_gradient_attempt o = 2%nat /\ calls is_membership_call o = 1%nat /\
  calls is_applied o = 1%nat /\ calls is_start o = 1%nat.
Proof. cbv zeta. rewrite stops_with_undefined_gradient. repeat split. Qed.
End Stop.

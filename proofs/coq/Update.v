(** * The lemma: procedure and objective together (claims A1 to C4, B5, F2; the K = 1 fact)

    A lawful problem, a plan that fits it and an exact supply: the domain oracle says exactly what is in the domain,
    draws are supported responses, and the gradient oracle answers exactly where the objective is differentiable.

    Main results
    - [finite_group_relative_updates_preserve_admissibility_with_bounded_oracle_calls]: the lemma in one statement
    - [first_inner_step_has_unit_ratios] (B3), [first_inner_step_has_a_gradient]
    - [undefined_gradient_is_a_kink] (F2): a run that stops with undefined-gradient stops at step k >= 2, at a
      parameter where a drawn response with A <> 0 sits on its active bound with a moving ratio
    - [one_inner_step_never_undefined]: with K = 1 the status undefined-gradient cannot occur *)
From Coquelicot Require Import Coquelicot.
Require Import Reals Lra List Lia Classical.
From Grpo Require Import FiniteSums Procedure Budgets Admissibility FiniteLaws Differentials Objective
  ObjectiveGradient.
Import ListNotations.
Open Scope R_scope.

Section Update.
Context {V : NormedModule R_AbsRing} {Gradient Prompt Response : Type}.
Variable P : problem V Prompt Response.
Variable p : plan Prompt (Prompt -> Response -> R).
Variable operations : supply V Gradient Prompt Response R (Prompt -> Response -> R).
Notation G := (group_size p).

Record fitting_plan : Prop := {
  some_prompt : prompts p <> [];
  some_draw : (0 < G)%nat;
  plan_reference_law : forall q, law (support P q) (reference_policy p q) }.

Record exact_supply : Prop := {
  member_exact : forall t k theta, member operations t k theta = true <-> domain P theta;
  draws_supported : forall t q i theta, domain P theta -> In (draw operations t q i theta) (support P q);
  gradient_exact : forall t k frozen theta, domain P theta -> well_drawn P G frozen ->
    (gradient operations t k frozen theta = None <-> ~ differentiable (objective P frozen) theta) }.

Hypothesis P_lawful : lawful P.
Hypothesis fits : fitting_plan.
Hypothesis supply_exact : exact_supply.

Lemma frozen_at_well_drawn t theta : domain P theta -> well_drawn P G (frozen_at operations p t theta).
Proof.
  intros inside. constructor; simpl.
  - exact inside.
  - pose proof (some_prompt fits). unfold draw_groups. destruct (prompts p); [congruence|discriminate].
  - apply (some_draw fits).
  - intros q g. apply drawn_groups_full.
  - intros q g d [g_in d_in]. simpl in g_in. unfold draw_groups in g_in. apply in_map_iff in g_in.
    destruct g_in as (q' & equal & _). injection equal as -> <-. unfold draw_group in d_in. apply in_map_iff in d_in.
    destruct d_in as (i & <- & _). apply (draws_supported supply_exact), inside.
  - apply (plan_reference_law fits).
Qed.

Section Run.
Variable theta_0 : V.
Hypothesis start_inside : domain P theta_0.
Notation o := (run operations p theta_0).

Lemma member_sound t k theta : member operations t k theta = true -> domain P theta.
Proof. apply (member_exact supply_exact). Qed.

Lemma question_well_drawn t k frozen theta answer : In (asked_gradient t k frozen theta answer) (trace o) ->
  well_drawn P G frozen /\ domain P theta /\ (1 <= k <= inner_budget p)%nat /\
  answer = gradient operations t k frozen theta /\ (k = 1%nat -> theta = old_parameter frozen).
Proof.
  intros asked. apply (gradient_question operations p (domain P) member_sound theta_0 start_inside) in asked.
  destruct asked as (_ & k_range & equal & answered & first & old_inside & inside).
  split; [rewrite equal; apply frozen_at_well_drawn, old_inside|]. repeat split; (assumption || apply k_range).
Qed.

Theorem finite_group_relative_updates_preserve_admissibility_with_bounded_oracle_calls :
  Forall (domain P) (theta_0 :: applied_parameters o) /\
  returned o = last (applied_parameters o) theta_0 /\
  (forall t k frozen theta answer, In (asked_gradient t k frozen theta answer) (trace o) ->
     Rabs (objective P frozen theta)
     <= sqrt (INR G - 1) * Rmax (1 + clip_threshold P) (/ least (old_masses_drawn P frozen))
        + penalty_weight P * ln (/ least (reference_masses P frozen))) /\
  (ended o = complete \/ ended o = undefined_gradient \/ ended o = invalid_update) /\
  (calls is_draw o <= outer_budget p * length (prompts p) * G)%nat /\
  (calls is_gradient_attempt o <= outer_budget p * inner_budget p)%nat /\
  (calls is_membership_call o <= calls is_gradient_attempt o)%nat.
Proof.
  refine (conj _ (conj _ (conj _ (conj _ (conj _ (conj _ _)))))).
  - apply (applied_parameters_in_domain operations p (domain P) member_sound theta_0 start_inside).
  - apply returned_is_last_applied.
  - intros t k frozen theta answer asked. apply question_well_drawn in asked.
    apply objective_bound; try apply asked. exact P_lawful.
  - apply run_terminates_within_bound.
  - apply draws_at_most.
  - apply attempts_at_most.
  - apply membership_calls_at_most_attempts.
Qed.

Theorem first_inner_step_has_unit_ratios t frozen theta answer :
  In (asked_gradient t 1 frozen theta answer) (trace o) ->
  forall q g d, occurs frozen q g d -> sequence_ratio P frozen theta q (fst d) = 1.
Proof.
  intros asked q g d d_in. apply question_well_drawn in asked.
  destruct asked as (drawn & _ & _ & _ & first). rewrite first by reflexivity.
  apply (sequence_ratio_at_old P P_lawful G frozen drawn q g d d_in).
Qed.

(** ** Stops *)
Variable mass_differential : V -> Prompt -> Response -> V -> R.
Hypothesis masses_differentiable : forall theta q b, domain P theta -> In b (support P q) ->
  differential_at (fun y => policy P y q b) theta (mass_differential theta q b).

Theorem first_inner_step_has_a_gradient t frozen theta answer :
  In (asked_gradient t 1 frozen theta answer) (trace o) -> answer <> None.
Proof.
  intros asked. apply question_well_drawn in asked. destruct asked as (drawn & inside & _ & -> & first).
  rewrite (gradient_exact supply_exact) by assumption. intros kink. apply kink.
  apply (objective_differentiable_at_old P P_lawful G frozen drawn theta inside (mass_differential theta)); auto.
Qed.

Theorem undefined_gradient_is_a_kink : ended o = undefined_gradient ->
  exists t k frozen, In (asked_gradient t k frozen (returned o) None) (trace o) /\ (2 <= k <= inner_budget p)%nat /\
  exists q g d v, occurs frozen q g d /\ on_active_bound P frozen (returned o) q g d /\
    ratio_differential P frozen (mass_differential (returned o)) q (fst d) v <> 0.
Proof.
  intros status.
  destruct (stop_on_undefined_gradient operations p theta_0 status) as (earlier & t & k & frozen & last_one).
  assert (asked : In (asked_gradient t k frozen (returned o) None) (trace o))
    by (rewrite last_one; apply in_or_app; simpl; auto).
  exists t, k, frozen. split; [exact asked|].
  pose proof (question_well_drawn _ _ _ _ _ asked) as (drawn & inside & k_range & answered & _). split.
  - enough (k <> 1)%nat by lia. intros ->. apply (first_inner_step_has_a_gradient _ _ _ _ asked eq_refl).
  - symmetry in answered. rewrite (gradient_exact supply_exact) in answered by assumption.
    apply NNPP. intros none. apply answered.
    apply (objective_differentiable_iff P P_lawful G frozen drawn _ inside (mass_differential (returned o))); auto.
    intros q g d d_in bound v. apply NNPP. intros moving. apply none. exists q, g, d, v. auto.
Qed.

Theorem one_inner_step_never_undefined : inner_budget p = 1%nat -> ended o <> undefined_gradient.
Proof.
  intros one status. destruct (undefined_gradient_is_a_kink status) as (t & k & frozen & _ & k_range & _). lia.
Qed.
End Run.
End Update.

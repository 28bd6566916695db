(** * The exact divergence of two laws on one support (claims B4, G4)

    KL(p, q) = sum over the support of p ln(p / q): weighted by the current policy p, against the reference q.

    Main results
    - [divergence_nonneg], [divergence_zero_iff_equal] (B4)
    - [divergence_le]: at most ln(1 / least reference mass), so it is bounded uniformly in p (B4)
    - [divergence_chain_rule] (G4): KL of a two-step law is the first step's KL plus the second steps' KLs weighted
      by the current first step; the second step's support may depend on the first step.
      Generation.v extends it to every horizon. *)
Require Import Reals Lra List.
From Grpo Require Import FiniteSums FiniteLaws.
Import ListNotations.
Open Scope R_scope.

Definition divergence {A : Type} (support : list A) (p q : A -> R) : R :=
  sum_over support (fun a => p a * ln (p a / q a)).

Lemma ln_le_sub_1 x : 0 < x -> ln x <= x - 1.
Proof. intros positive. pose proof (exp_ineq1_le (ln x)) as bound. rewrite exp_ln in bound; lra. Qed.

Lemma ln_eq_sub_1 x : 0 < x -> ln x = x - 1 -> x = 1.
Proof.
  intros positive equal. destruct (Req_dec (ln x) 0) as [zero|nonzero]; [lra|].
  pose proof (exp_ineq1 (ln x) nonzero) as bound. rewrite exp_ln in bound; lra.
Qed.

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros positive [less| ->]; [left; apply ln_increasing; assumption|apply Rle_refl]. Qed.

(** The pointwise form of Gibbs' inequality: each term, completed to p ln(p/q) - p + q, is nonnegative. *)
Lemma gap_eq p q : 0 < p -> 0 < q -> p * ln (p / q) - p + q = p * (q / p - 1 - ln (q / p)).
Proof.
  intros p_pos q_pos. replace (p / q) with (/ (q / p)) by (field; lra).
  rewrite ln_Rinv by (apply Rdiv_lt_0_compat; assumption). field. lra.
Qed.

Lemma gap_nonneg p q : 0 < p -> 0 < q -> 0 <= p * ln (p / q) - p + q.
Proof.
  intros p_pos q_pos. rewrite gap_eq by assumption.
  pose proof (ln_le_sub_1 (q / p) ltac:(apply Rdiv_lt_0_compat; assumption)).
  apply Rmult_le_pos; lra.
Qed.

Lemma gap_zero p q : 0 < p -> 0 < q -> p * ln (p / q) - p + q = 0 -> p = q.
Proof.
  intros p_pos q_pos zero. rewrite gap_eq in zero by assumption. apply Rmult_integral in zero.
  destruct zero as [|zero]; [lra|]. assert (q / p = 1) as equal
    by (apply ln_eq_sub_1; [apply Rdiv_lt_0_compat; assumption|lra]).
  replace q with (q / p * p) by (field; lra). rewrite equal. ring.
Qed.

Section Divergence.
Context {A : Type}.
Variable support : list A.
Implicit Types p q : A -> R.

Lemma divergence_as_gaps p q : law support p -> law support q ->
  divergence support p q = sum_over support (fun a => p a * ln (p a / q a) - p a + q a).
Proof.
  intros [_ p_total] [_ q_total]. unfold divergence. rewrite sum_over_plus, sum_over_minus, p_total, q_total. ring.
Qed.

Theorem divergence_nonneg p q : law support p -> law support q -> 0 <= divergence support p q.
Proof.
  intros p_law q_law. rewrite divergence_as_gaps by assumption.
  apply sum_over_nonneg; intros a a_in. apply gap_nonneg; eapply mass_positive; eassumption.
Qed.

Theorem divergence_zero_iff_equal p q : law support p -> law support q ->
  (divergence support p q = 0 <-> forall a, In a support -> p a = q a).
Proof.
  intros p_law q_law. rewrite divergence_as_gaps, sum_over_zero_iff by
    (assumption || (intros a a_in; apply gap_nonneg; eapply mass_positive; eassumption)).
  pose proof (mass_positive support p) as p_pos. pose proof (mass_positive support q) as q_pos.
  split; intros all a a_in; specialize (all a a_in).
  - apply gap_zero; auto.
  - rewrite <- all, (ratio_at_same_law support p) by assumption. rewrite ln_1. ring.
Qed.

Theorem divergence_le p q least : law support p -> 0 < least -> (forall a, In a support -> least <= q a) ->
  divergence support p q <= ln (/ least).
Proof.
  intros p_law positive least_le.
  replace (ln (/ least)) with (sum_over support (fun a => p a * ln (/ least)))
    by (rewrite sum_over_scal_r; destruct p_law as [_ ->]; ring).
  apply sum_over_le; intros a a_in. pose proof (mass_positive support p a p_law a_in). specialize (least_le a a_in).
  apply Rmult_le_compat_l; [lra|]. apply ln_le; [apply Rdiv_lt_0_compat; lra|].
  apply (ratio_le support); [exact p_law|exact a_in|lra].
Qed.
End Divergence.

(** ** Two steps *)
Section ChainRule.
Context {A B : Type}.
Variable first : list A.
Variable second : A -> list B.

Definition two_step_mass (p : A -> R) (then_p : A -> B -> R) (path : A * B) : R :=
  p (fst path) * then_p (fst path) (snd path).

Theorem divergence_chain_rule p q then_p then_q :
  law first p -> law first q ->
  (forall a, In a first -> law (second a) (then_p a)) -> (forall a, In a first -> law (second a) (then_q a)) ->
  divergence (dependent_pairs first second) (two_step_mass p then_p) (two_step_mass q then_q)
  = divergence first p q + sum_over first (fun a => p a * divergence (second a) (then_p a) (then_q a)).
Proof.
  intros p_law q_law then_p_law then_q_law. unfold divergence.
  rewrite sum_over_dependent_pairs, <- sum_over_plus. apply sum_over_ext; intros a a_in.
  pose proof (ratio_positive first p q a p_law q_law a_in).
  pose proof (mass_positive first q a q_law a_in).
  replace (p a * ln (p a / q a)) with (sum_over (second a) (fun b => p a * ln (p a / q a) * then_p a b))
    by (rewrite sum_over_scal; destruct (then_p_law a a_in) as [_ ->]; ring).
  rewrite <- sum_over_scal, <- sum_over_plus. apply sum_over_ext; intros b b_in. unfold two_step_mass; simpl.
  pose proof (ratio_positive _ _ _ b (then_p_law a a_in) (then_q_law a a_in) b_in).
  pose proof (mass_positive _ _ b (then_q_law a a_in) b_in).
  replace (p a * then_p a b / (q a * then_q a b)) with ((p a / q a) * (then_p a b / then_q a b)) by (field; lra).
  rewrite ln_mult by assumption. ring.
Qed.
End ChainRule.

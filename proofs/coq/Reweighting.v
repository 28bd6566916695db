(** * When the expected best of a group cannot fall (beside non-claim N6)

    A law is re-weighted by factors and normalised, as product-of-experts decoding does. Where the factor never falls as
    the reward rises, everything that rises with the reward rises in expectation, and so does the best of G independent
    draws. Two responses of which the better is favoured always meet the condition; N6 fails where it does not hold.

    Main results
    - [reweighted_is_law]: positive factors make a law of a law
    - [reweighting_raises_expectations]: E g rises for every g that never falls as the reward rises
    - [expected_best_never_falls]: so does E max of G independent draws *)
Require Import Reals Lra List.
From Grpo Require Import FiniteSums FiniteLaws.
Import ListNotations.
Open Scope R_scope.

Section Reweighting.
Context {Response : Type}.
Variable support : list Response.
Variable mass : Response -> R.
Hypothesis mass_law : law support mass.
Variable factor : Response -> R.
Hypothesis factor_positive : forall y, In y support -> 0 < factor y.
Variable reward : Response -> R.

Definition weight_of_all : R := sum_over support (fun y => mass y * factor y).
Definition reweighted (y : Response) : R := mass y * factor y / weight_of_all.

(** Never falls as the reward rises; so it is equal at equal rewards. *)
Definition rises_with_reward (f : Response -> R) : Prop :=
  forall a b, In a support -> In b support -> reward a <= reward b -> f a <= f b.

Lemma weight_of_all_positive : 0 < weight_of_all.
Proof.
  destruct mass_law as [positive whole].
  destruct support as [|y ys] eqn:listed.
  - rewrite sum_over_nil in whole. lra.
  - unfold weight_of_all. rewrite listed.
    apply Rlt_le_trans with (mass y * factor y).
    + apply Rmult_lt_0_compat; [apply positive|apply factor_positive]; left; reflexivity.
    + apply (term_le_sum_over (y :: ys) (fun y => mass y * factor y) y); [|left; reflexivity].
      intros b b_in. left. apply Rmult_lt_0_compat; [apply positive|apply factor_positive]; exact b_in.
Qed.

Theorem reweighted_is_law : law support reweighted.
Proof.
  pose proof weight_of_all_positive as positive_weight. split.
  - intros y y_in. apply Rdiv_lt_0_compat; [|exact positive_weight].
    apply Rmult_lt_0_compat; [apply (proj1 mass_law)|apply factor_positive]; exact y_in.
  - unfold reweighted. rewrite (sum_over_ext _ _ (fun y => / weight_of_all * (mass y * factor y))).
    + rewrite sum_over_scal. fold weight_of_all. apply Rinv_l. lra.
    + intros y _. unfold Rdiv. ring.
Qed.

Lemma sum_of_products (f g : Response -> R) :
  sum_over support (fun a => sum_over support (fun b => f a * g b)) = sum_over support f * sum_over support g.
Proof.
  rewrite <- sum_over_scal_r. apply sum_over_ext; intros a _. apply sum_over_scal.
Qed.

(** Chebyshev's inequality between sums: two things that rise together are positively correlated. *)
Lemma rising_together (g : Response -> R) :
  rises_with_reward factor -> rises_with_reward g ->
  weight_of_all * sum_over support (fun y => mass y * g y) <= sum_over support (fun y => mass y * factor y * g y).
Proof.
  intros factor_rises g_rises.
  assert (0 <= sum_over support (fun a => sum_over support (fun b =>
            mass a * mass b * ((factor a - factor b) * (g a - g b))))) as together.
  { apply sum_over_nonneg; intros a a_in. apply sum_over_nonneg; intros b b_in.
    pose proof (mass_positive support mass a mass_law a_in). pose proof (mass_positive support mass b mass_law b_in).
    apply Rmult_le_pos; [apply Rlt_le, Rmult_lt_0_compat; assumption|].
    destruct (Rle_dec (reward a) (reward b)) as [le|gt].
    - pose proof (factor_rises a b a_in b_in le). pose proof (g_rises a b a_in b_in le).
      replace ((factor a - factor b) * (g a - g b)) with ((factor b - factor a) * (g b - g a)) by ring.
      apply Rmult_le_pos; lra.
    - apply Rnot_le_lt in gt. pose proof (factor_rises b a b_in a_in (Rlt_le _ _ gt)).
      pose proof (g_rises b a b_in a_in (Rlt_le _ _ gt)). apply Rmult_le_pos; lra. }
  set (A := sum_over support (fun y => mass y * factor y * g y)) in *.
  set (B := sum_over support (fun y => mass y * g y)).
  assert (sum_over support (fun a => sum_over support (fun b =>
            mass a * mass b * ((factor a - factor b) * (g a - g b)))) = 2 * (A - weight_of_all * B)) as expanded.
  { rewrite (sum_over_ext _ _ (fun a => sum_over support (fun b => mass a * factor a * g a * mass b)
        - sum_over support (fun b => mass a * factor a * (mass b * g b))
        - sum_over support (fun b => mass a * g a * (mass b * factor b))
        + sum_over support (fun b => mass a * (mass b * factor b * g b)))).
    - rewrite sum_over_plus, !sum_over_minus, !sum_of_products. fold weight_of_all. fold A. fold B.
      rewrite (proj2 mass_law). ring.
    - intros a _. rewrite <- !sum_over_minus, <- sum_over_plus. apply sum_over_ext; intros b _. ring. }
  lra.
Qed.

Theorem reweighting_raises_expectations (g : Response -> R) :
  rises_with_reward factor -> rises_with_reward g ->
  sum_over support (fun y => mass y * g y) <= sum_over support (fun y => reweighted y * g y).
Proof.
  intros factor_rises g_rises. pose proof weight_of_all_positive as positive_weight.
  rewrite (sum_over_ext _ (fun y => reweighted y * g y) (fun y => / weight_of_all * (mass y * factor y * g y))).
  - rewrite sum_over_scal. apply Rmult_le_reg_l with weight_of_all; [exact positive_weight|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l; [apply rising_together; assumption|lra].
  - intros y _. unfold reweighted, Rdiv. ring.
Qed.

(** E max(least, r(y_1), .., r(y_G)) for independent draws from a law. *)
Fixpoint expected_best (p : Response -> R) (G : nat) (least : R) : R :=
  match G with
  | O => least
  | S n => sum_over support (fun y => p y * expected_best p n (Rmax least (reward y)))
  end.

Lemma expected_best_rises_in_least G least more :
  least <= more -> expected_best mass G least <= expected_best mass G more.
Proof.
  revert least more. induction G as [|n IH]; intros least more le; simpl; [exact le|].
  apply sum_over_le; intros y y_in. apply Rmult_le_compat_l.
  - apply Rlt_le, (mass_positive support mass y mass_law y_in).
  - apply IH. apply Rle_max_compat_r. exact le.
Qed.

Theorem expected_best_never_falls :
  rises_with_reward factor -> forall G least, expected_best mass G least <= expected_best reweighted G least.
Proof.
  intros factor_rises G. induction G as [|n IH]; intros least; simpl; [lra|].
  apply Rle_trans with (sum_over support (fun y => reweighted y * expected_best mass n (Rmax least (reward y)))).
  - apply (reweighting_raises_expectations (fun y => expected_best mass n (Rmax least (reward y))));
      [exact factor_rises|].
    intros a b _ _ le. apply expected_best_rises_in_least. apply Rle_max_compat_l. exact le.
  - apply sum_over_le; intros y y_in. apply Rmult_le_compat_l; [|apply IH].
    apply Rlt_le, (mass_positive support reweighted y reweighted_is_law y_in).
Qed.
End Reweighting.

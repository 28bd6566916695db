(** * Laws on a finite support, and the change of measure (claims B3, G1)

    A law is a mass function that is positive on every element of an ordered support and sums to 1 over it.

    Main results
    - [ratio_positive], [ratio_le] (B3): 0 < p / p_old <= 1 / p_old; [ratio_at_same_law]: the ratio of equal masses is 1
    - [change_of_measure] (G1): the mean of ratio * f under the old law is the mean of f under the new
    - [mean_ratio_is_one]: the mean of the ratio under the old law is 1 *)
Require Import Reals Lra List.
From Grpo Require Import FiniteSums.
Import ListNotations.
Open Scope R_scope.

Definition law {A : Type} (support : list A) (mass : A -> R) : Prop :=
  (forall a, In a support -> 0 < mass a) /\ sum_over support mass = 1.

Section Law.
Context {A : Type}.
Variable support : list A.
Implicit Types mass old : A -> R.

Lemma mass_positive mass a : law support mass -> In a support -> 0 < mass a.
Proof. intros [positive _]. apply positive. Qed.

Lemma mass_le_1 mass a : law support mass -> In a support -> mass a <= 1.
Proof.
  intros [positive total] a_in. rewrite <- total.
  apply term_le_sum_over; [intros b b_in; left; apply positive, b_in|exact a_in].
Qed.

Theorem ratio_positive mass old a : law support mass -> law support old -> In a support -> 0 < mass a / old a.
Proof. intros new_law old_law a_in. apply Rdiv_lt_0_compat; eapply mass_positive; eassumption. Qed.

Theorem ratio_le mass old a least : law support mass -> In a support -> 0 < least <= old a ->
  mass a / old a <= / least.
Proof.
  intros new_law a_in [positive least_le]. pose proof (mass_positive mass a new_law a_in).
  pose proof (mass_le_1 mass a new_law a_in). rewrite <- (Rmult_1_l (/ least)).
  apply Rmult_le_compat; try lra; [left; apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; assumption].
Qed.

Theorem ratio_at_same_law old a : law support old -> In a support -> old a / old a = 1.
Proof. intros old_law a_in. pose proof (mass_positive old a old_law a_in). field. lra. Qed.

(** Only the sampling law has to be positive. *)
Theorem change_of_measure mass old (f : A -> R) : (forall a, In a support -> 0 < old a) ->
  sum_over support (fun a => old a * (mass a / old a) * f a) = sum_over support (fun a => mass a * f a).
Proof. intros positive. apply sum_over_ext; intros a a_in. specialize (positive a a_in). field. lra. Qed.

Theorem mean_ratio_is_one mass old : law support mass -> law support old ->
  sum_over support (fun a => old a * (mass a / old a)) = 1.
Proof.
  intros [_ total] [positive _]. rewrite <- total.
  apply sum_over_ext; intros a a_in. specialize (positive a a_in). field. lra.
Qed.
End Law.

(** * The clipped term (claims E1, E2)

    term epsilon A rho = min(rho A, clip(rho) A), with clip(x) = min(1 + epsilon, max(1 - epsilon, x)).

    Main results, for epsilon >= 0
    - [term_of_positive_advantage], [term_of_negative_advantage], [term_of_zero_advantage] (E1)
    - [term_le_unclipped] (E2)
    - [term_is_minimum]: term = min(rho A, b A) with the constant [active_bound] b = 1 + epsilon for A > 0 and
      1 - epsilon otherwise; every kink of the objective is a tie of such a minimum
    - [term_abs_le]: abs(term) <= abs(A) max(1 + epsilon, rho) *)
Require Import Reals Lra.
Open Scope R_scope.

Definition clip (epsilon x : R) : R := Rmin (1 + epsilon) (Rmax (1 - epsilon) x).
Definition term (epsilon A rho : R) : R := Rmin (rho * A) (clip epsilon rho * A).
Definition active_bound (epsilon A : R) : R := if Rlt_dec 0 A then 1 + epsilon else 1 - epsilon.

(** Decides minima and maxima by cases; the cases that remain are linear. *)
Ltac by_cases_of_min_max := unfold Rmin, Rmax; repeat destruct (Rle_dec _ _); try lra.

Lemma min_of_nonneg_multiples a b A : 0 <= A -> Rmin (a * A) (b * A) = Rmin a b * A.
Proof.
  intros nonneg. destruct (Rle_dec a b).
  - rewrite (Rmin_left a b) by lra. apply Rmin_left, Rmult_le_compat_r; lra.
  - rewrite (Rmin_right a b) by lra. apply Rmin_right, Rmult_le_compat_r; lra.
Qed.

Lemma min_of_nonpos_multiples a b A : A <= 0 -> Rmin (a * A) (b * A) = Rmax a b * A.
Proof.
  intros nonpos. rewrite !(Rmult_comm _ A). destruct (Rle_dec a b).
  - rewrite (Rmax_right a b) by lra. apply Rmin_right, Rmult_le_compat_neg_l; lra.
  - rewrite (Rmax_left a b) by lra. apply Rmin_left, Rmult_le_compat_neg_l; lra.
Qed.

Section Term.
Variable epsilon : R.
Hypothesis epsilon_nonneg : 0 <= epsilon.

Theorem term_of_positive_advantage A rho : 0 < A -> term epsilon A rho = Rmin rho (1 + epsilon) * A.
Proof.
  intros positive. unfold term, clip. rewrite min_of_nonneg_multiples by lra. f_equal. by_cases_of_min_max.
Qed.

Theorem term_of_negative_advantage A rho : A < 0 -> term epsilon A rho = Rmax rho (1 - epsilon) * A.
Proof.
  intros negative. unfold term, clip. rewrite min_of_nonpos_multiples by lra. f_equal. by_cases_of_min_max.
Qed.

Theorem term_of_zero_advantage rho : term epsilon 0 rho = 0.
Proof. unfold term. rewrite !Rmult_0_r. apply Rmin_left; lra. Qed.

Theorem term_le_unclipped A rho : term epsilon A rho <= rho * A.
Proof. apply Rmin_l. Qed.

Lemma term_inside A rho : 1 - epsilon <= rho <= 1 + epsilon -> term epsilon A rho = rho * A.
Proof.
  intros inside. unfold term. replace (clip epsilon rho) with rho by (unfold clip; by_cases_of_min_max).
  apply Rmin_left; lra.
Qed.

Theorem term_is_minimum A rho : term epsilon A rho = Rmin (rho * A) (active_bound epsilon A * A).
Proof.
  unfold active_bound. destruct (Rlt_dec 0 A); [|destruct (Req_dec A 0) as [->|]].
  - rewrite term_of_positive_advantage, min_of_nonneg_multiples by lra. reflexivity.
  - rewrite term_of_zero_advantage, !Rmult_0_r. symmetry; apply Rmin_left; lra.
  - rewrite term_of_negative_advantage, min_of_nonpos_multiples by lra. reflexivity.
Qed.

Theorem term_abs_le A rho : 0 < rho -> Rabs (term epsilon A rho) <= Rabs A * Rmax (1 + epsilon) rho.
Proof.
  intros positive. rewrite Rmult_comm.
  enough (exists factor, term epsilon A rho = factor * A /\ 0 <= factor <= Rmax (1 + epsilon) rho)
    as (factor & -> & bounds).
  { rewrite Rabs_mult, (Rabs_pos_eq factor) by lra. apply Rmult_le_compat_r; [apply Rabs_pos|lra]. }
  destruct (Rlt_dec 0 A); [|destruct (Req_dec A 0) as [->|]].
  - exists (Rmin rho (1 + epsilon)). rewrite term_of_positive_advantage by lra. split; [reflexivity|].
    by_cases_of_min_max.
  - exists 0. rewrite term_of_zero_advantage. split; [ring|]. by_cases_of_min_max.
  - exists (Rmax rho (1 - epsilon)). rewrite term_of_negative_advantage by lra. split; [reflexivity|].
    by_cases_of_min_max.
Qed.
End Term.

(** * Finite sums over an ordered list

    The only summation of the development: group averages, expectations, divergences and the objective are
    all [sum_over].  Occurrences count: an element that stands twice in the list is added twice.

    Main results
    - [sum_over_ext], [sum_over_le]: equal and ordered sums
    - [sum_over_zero_iff]: a sum of nonnegative terms is 0 exactly when every term is
    - [square_of_sum_le]: (sum of f)^2 <= length * sum of f^2
    - [average_abs_le]: an average is bounded by any bound of its terms *)
Require Import Reals Lra List Psatz.
Import ListNotations.
Open Scope R_scope.

Definition sum_over {A : Type} (l : list A) (f : A -> R) : R := fold_right (fun a s => f a + s) 0 l.

Section SumOver.
Context {A : Type}.
Implicit Types (l : list A) (f g : A -> R).

Lemma sum_over_nil f : sum_over [] f = 0.
Proof. reflexivity. Qed.

Lemma sum_over_cons a l f : sum_over (a :: l) f = f a + sum_over l f.
Proof. reflexivity. Qed.

Lemma sum_over_app l1 l2 f : sum_over (l1 ++ l2) f = sum_over l1 f + sum_over l2 f.
Proof.
  induction l1 as [|a l1 IH]; simpl app; [rewrite sum_over_nil; ring|].
  rewrite !sum_over_cons, IH; ring.
Qed.

Lemma sum_over_ext l f g : (forall a, In a l -> f a = g a) -> sum_over l f = sum_over l g.
Proof.
  induction l as [|a l IH]; intros equal; [reflexivity|].
  rewrite !sum_over_cons, equal, IH; simpl; auto.
  intros b b_in; apply equal; simpl; auto.
Qed.

Lemma sum_over_plus l f g : sum_over l (fun a => f a + g a) = sum_over l f + sum_over l g.
Proof. induction l as [|a l IH]; [unfold sum_over; simpl; ring|]. rewrite !sum_over_cons, IH; ring. Qed.

Lemma sum_over_minus l f g : sum_over l (fun a => f a - g a) = sum_over l f - sum_over l g.
Proof. induction l as [|a l IH]; [unfold sum_over; simpl; ring|]. rewrite !sum_over_cons, IH; ring. Qed.

Lemma sum_over_scal c l f : sum_over l (fun a => c * f a) = c * sum_over l f.
Proof. induction l as [|a l IH]; [unfold sum_over; simpl; ring|]. rewrite !sum_over_cons, IH; ring. Qed.

Lemma sum_over_scal_r c l f : sum_over l (fun a => f a * c) = sum_over l f * c.
Proof. induction l as [|a l IH]; [unfold sum_over; simpl; ring|]. rewrite !sum_over_cons, IH; ring. Qed.

Lemma sum_over_const c l : sum_over l (fun _ => c) = INR (length l) * c.
Proof.
  induction l as [|a l IH]; [unfold sum_over; simpl; ring|].
  rewrite sum_over_cons, IH. change (length (a :: l)) with (S (length l)). rewrite S_INR; ring.
Qed.

Lemma sum_over_zero l f : (forall a, In a l -> f a = 0) -> sum_over l f = 0.
Proof. intros zero. rewrite (sum_over_ext l f (fun _ => 0)) by exact zero. rewrite sum_over_const; ring. Qed.

Lemma sum_over_le l f g : (forall a, In a l -> f a <= g a) -> sum_over l f <= sum_over l g.
Proof.
  induction l as [|a l IH]; intros le; [apply Rle_refl|].
  rewrite !sum_over_cons. apply Rplus_le_compat; [apply le; simpl; auto|].
  apply IH; intros b b_in; apply le; simpl; auto.
Qed.

Lemma sum_over_nonneg l f : (forall a, In a l -> 0 <= f a) -> 0 <= sum_over l f.
Proof.
  intros nonneg. replace 0 with (sum_over l (fun _ => 0)) by (rewrite sum_over_const; ring).
  apply sum_over_le; exact nonneg.
Qed.

Lemma term_le_sum_over l f a : (forall b, In b l -> 0 <= f b) -> In a l -> f a <= sum_over l f.
Proof.
  intros nonneg a_in. apply in_split in a_in. destruct a_in as (l1 & l2 & ->).
  rewrite sum_over_app, sum_over_cons.
  assert (0 <= sum_over l1 f) by (apply sum_over_nonneg; intros; apply nonneg; apply in_or_app; auto).
  assert (0 <= sum_over l2 f) by (apply sum_over_nonneg; intros; apply nonneg; apply in_or_app; simpl; auto).
  lra.
Qed.

Lemma sum_over_zero_iff l f : (forall a, In a l -> 0 <= f a) ->
  (sum_over l f = 0 <-> forall a, In a l -> f a = 0).
Proof.
  intros nonneg; split; [|apply sum_over_zero].
  intros zero a a_in. pose proof (term_le_sum_over l f a nonneg a_in). pose proof (nonneg a a_in). lra.
Qed.

Lemma sum_over_abs_le_bound l f c : (forall a, In a l -> Rabs (f a) <= c) ->
  Rabs (sum_over l f) <= INR (length l) * c.
Proof.
  rewrite <- (sum_over_const c l). induction l as [|a l IH]; intros bound.
  - rewrite !sum_over_nil, Rabs_R0; lra.
  - rewrite !sum_over_cons. eapply Rle_trans; [apply Rabs_triang|].
    apply Rplus_le_compat; [|apply IH]; intros; apply bound; simpl; auto.
Qed.

(** The average over a list. *)
Definition average l f : R := / INR (length l) * sum_over l f.

Lemma length_pos l : l <> [] -> 0 < INR (length l).
Proof. destruct l as [|a l]; [congruence|]. intros _. apply lt_0_INR; simpl. apply Nat.lt_0_succ. Qed.

Lemma average_abs_le l f c : l <> [] -> (forall a, In a l -> Rabs (f a) <= c) -> Rabs (average l f) <= c.
Proof.
  intros nonempty bound. pose proof (length_pos l nonempty) as size. unfold average.
  rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by (left; apply Rinv_0_lt_compat, size).
  apply Rmult_le_reg_l with (INR (length l)); [exact size|].
  rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. apply sum_over_abs_le_bound, bound.
Qed.

(** Cauchy-Schwarz against the constant 1. *)
Lemma square_of_sum_le l f : (sum_over l f)^2 <= INR (length l) * sum_over l (fun a => (f a)^2).
Proof.
  destruct l as [|first l']; [unfold sum_over; simpl; lra|]. set (l := first :: l').
  assert (size : 0 < INR (length l)) by (apply lt_0_INR; simpl; apply Nat.lt_0_succ).
  set (mean := sum_over l f / INR (length l)).
  assert (deviations : 0 <= sum_over l (fun a => (f a - mean)^2))
    by (apply sum_over_nonneg; intros; apply pow2_ge_0).
  rewrite (sum_over_ext l _ (fun a => (f a)^2 - (2 * mean) * f a + mean^2)) in deviations by (intros; ring).
  rewrite sum_over_plus, sum_over_minus, sum_over_scal, sum_over_const in deviations.
  assert (0 <= INR (length l) * (sum_over l (fun a => (f a)^2) - 2 * mean * sum_over l f
                                 + INR (length l) * mean^2)) by (apply Rmult_le_pos; lra).
  replace (sum_over l f) with (INR (length l) * mean) in * by (unfold mean; field; lra). lra.
Qed.
End SumOver.

Lemma sum_over_map {A B : Type} (h : A -> B) (l : list A) (f : B -> R) :
  sum_over (map h l) f = sum_over l (fun a => f (h a)).
Proof. induction l as [|a l IH]; [reflexivity|]. simpl map. rewrite !sum_over_cons, IH; reflexivity. Qed.

Lemma sum_over_flat_map {A B : Type} (h : A -> list B) (l : list A) (f : B -> R) :
  sum_over (flat_map h l) f = sum_over l (fun a => sum_over (h a) f).
Proof.
  induction l as [|a l IH]; [reflexivity|].
  simpl flat_map. rewrite sum_over_app, IH, sum_over_cons. reflexivity.
Qed.

(** ** Pairs whose second component ranges over a list that depends on the first *)
Definition dependent_pairs {A B : Type} (l : list A) (l_of : A -> list B) : list (A * B) :=
  flat_map (fun a => map (pair a) (l_of a)) l.

Lemma sum_over_dependent_pairs {A B : Type} (l : list A) (l_of : A -> list B) (f : A * B -> R) :
  sum_over (dependent_pairs l l_of) f = sum_over l (fun a => sum_over (l_of a) (fun b => f (a, b))).
Proof.
  unfold dependent_pairs. rewrite sum_over_flat_map.
  apply sum_over_ext; intros; apply sum_over_map.
Qed.

Lemma in_dependent_pairs {A B : Type} (l : list A) (l_of : A -> list B) (a : A) (b : B) :
  In (a, b) (dependent_pairs l l_of) <-> In a l /\ In b (l_of a).
Proof.
  unfold dependent_pairs. rewrite in_flat_map. split.
  - intros (a' & a_in & found). apply in_map_iff in found.
    destruct found as (b' & equal & b_in). injection equal as <- <-. auto.
  - intros [a_in b_in]. exists a. split; [exact a_in|]. apply in_map; exact b_in.
Qed.

(** * Minima never cancel (claim F1)

    A finite sum of minima min(f_i, g_i) of functions that are differentiable at x.

    Main results
    - [sum_of_minima_differentiable_iff] (F1): the sum is differentiable at x exactly when f_i and g_i have the same
      differential at every tie f_i(x) = g_i(x)
    - [sum_of_minima_differential] (F1): it is then the sum of the differentials of the smaller functions
    - [sum_of_minima_derivable_iff] (F1): the same in one variable, with derivatives

    Idea: the sum lies below every selection of one active branch per minimum and touches it at x, so a
    differential of the sum is the differential of every selection; two selections that differ in one tie give the
    equality at that tie.  MaximaCancel.v shows that minima are needed. *)
Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Grpo Require Import FiniteSums Differentials.
Import ListNotations.
Open Scope R_scope.

Section OneMinimum.
Context {V : NormedModule R_AbsRing}.
Implicit Types (f g : V -> R) (x : V) (l : V -> R).

Lemma differential_min_of_less f g x l : differential_at f x l -> differentiable g x -> f x < g x ->
  differential_at (fun y => Rmin (f y) (g y)) x l.
Proof.
  intros df dg less. apply (differential_ext_locally f); [|exact df].
  apply (filter_imp (fun y => f y < g y)); [intros y less_y; rewrite Rmin_left; lra|].
  apply strict_inequality_is_local; [eexists; exact df|exact dg|exact less].
Qed.

Lemma differential_min_of_tie f g x l : differential_at f x l -> differential_at g x l -> f x = g x ->
  differential_at (fun y => Rmin (f y) (g y)) x l.
Proof.
  intros df dg tie. apply differential_at_iff in df, dg. apply differential_at_iff.
  destruct df as [linear small_f], dg as [_ small_g]. split; [exact linear|]. intros eps.
  generalize (filter_and _ _ (small_f eps) (small_g eps)). apply filter_imp. intros y [close_f close_g].
  rewrite (Rmin_left (f x) (g x)) by lra.
  unfold Rmin; destruct (Rle_dec (f y) (g y)); [exact close_f|rewrite tie; exact close_g].
Qed.
End OneMinimum.

Section SumOfMinima.
Context {V : NormedModule R_AbsRing} {I : Type}.
Variable indices : list I.
Variables f g df dg : I -> V -> R.
Variable x : V.
Hypothesis f_differential : forall i, In i indices -> differential_at (f i) x (df i).
Hypothesis g_differential : forall i, In i indices -> differential_at (g i) x (dg i).

Definition sum_of_minima (y : V) : R := sum_over indices (fun i => Rmin (f i y) (g i y)).

(** The function that is smaller at x; the first of the two at a tie. *)
Definition selected (i : I) : V -> R := if Rle_dec (f i x) (g i x) then f i else g i.
Definition selected_differential (i : I) : V -> R := if Rle_dec (f i x) (g i x) then df i else dg i.

Lemma differential_of_selected i : In i indices -> differential_at (selected i) x (selected_differential i).
Proof. intros i_in. unfold selected, selected_differential. destruct (Rle_dec _ _); auto. Qed.

Lemma minimum_le_selected i y : Rmin (f i y) (g i y) <= selected i y.
Proof. unfold selected. destruct (Rle_dec _ _); [apply Rmin_l|apply Rmin_r]. Qed.

Lemma selected_at_x i : selected i x = Rmin (f i x) (g i x).
Proof. unfold selected. destruct (Rle_dec _ _); [rewrite Rmin_left|rewrite Rmin_right]; lra. Qed.

(** A branch h that is active at one minimum, completed with the selected branches of the others. *)
Lemma active_branch_differential l h dh rest i :
  differential_at sum_of_minima x l -> differential_at h x dh ->
  (forall y, sum_of_minima y = Rmin (f i y) (g i y) + sum_over rest (fun j => Rmin (f j y) (g j y))) ->
  (forall j, In j rest -> In j indices) ->
  (forall y, Rmin (f i y) (g i y) <= h y) -> Rmin (f i x) (g i x) = h x ->
  forall v, l v = dh v + sum_over rest (fun j => selected_differential j v).
Proof.
  intros dsum dh_at split_off sub below active.
  apply (touching_functions_share_differential sum_of_minima
           (fun y => h y + sum_over rest (fun j => selected j y)) x); [exact dsum| | |].
  - apply differential_plus; [exact dh_at|].
    apply (differential_sum rest selected selected_differential). auto using differential_of_selected.
  - intros y. rewrite split_off. apply Rplus_le_compat; [apply below|].
    apply sum_over_le; intros; apply minimum_le_selected.
  - rewrite split_off, active. f_equal. apply sum_over_ext; intros; symmetry; apply selected_at_x.
Qed.

Theorem ties_agree_if_differentiable : differentiable sum_of_minima x ->
  forall i, In i indices -> f i x = g i x -> forall v, df i v = dg i v.
Proof.
  intros [l dsum] i i_in tie v. destruct (in_split i indices i_in) as (l1 & l2 & equal).
  set (rest := l1 ++ l2).
  assert (split_off : forall y,
    sum_of_minima y = Rmin (f i y) (g i y) + sum_over rest (fun j => Rmin (f j y) (g j y)))
    by (intros y; unfold sum_of_minima, rest; rewrite equal, !sum_over_app, sum_over_cons; ring).
  assert (sub : forall j, In j rest -> In j indices)
    by (intros j; unfold rest; rewrite equal, !in_app_iff; simpl; tauto).
  pose proof (active_branch_differential l (f i) (df i) rest i dsum (f_differential i i_in) split_off sub
    (fun y => Rmin_l _ _) (Rmin_left _ _ (Req_le _ _ tie)) v).
  pose proof (active_branch_differential l (g i) (dg i) rest i dsum (g_differential i i_in) split_off sub
    (fun y => Rmin_r _ _) (Rmin_right _ _ (Req_le_sym _ _ tie)) v).
  lra.
Qed.

Theorem sum_of_minima_differential :
  (forall i, In i indices -> f i x = g i x -> forall v, df i v = dg i v) ->
  differential_at sum_of_minima x (fun v => sum_over indices (fun i => selected_differential i v)).
Proof.
  intros ties. apply (differential_sum indices (fun i y => Rmin (f i y) (g i y)) selected_differential).
  intros i i_in. unfold selected_differential. destruct (Rle_dec (f i x) (g i x)) as [le|gt].
  - destruct (Rle_lt_or_eq_dec _ _ le) as [less|tie].
    + apply differential_min_of_less; auto. eexists; apply g_differential, i_in.
    + apply differential_min_of_tie; auto. apply (differential_ext_map _ _ (dg i)); [|auto].
      intros; symmetry; auto.
  - apply (differential_ext (fun y => Rmin (g i y) (f i y))); [intros; apply Rmin_comm|].
    apply differential_min_of_less; auto; [eexists; apply f_differential, i_in|lra].
Qed.

Theorem sum_of_minima_differentiable_iff :
  differentiable sum_of_minima x <->
  (forall i, In i indices -> f i x = g i x -> forall v, df i v = dg i v).
Proof.
  split; [apply ties_agree_if_differentiable|].
  intros ties; eexists; apply sum_of_minima_differential, ties.
Qed.
End SumOfMinima.

(** ** One variable *)
Theorem sum_of_minima_derivable_iff {I : Type} (indices : list I) (f g : I -> R -> R) (df dg : I -> R) (x : R) :
  (forall i, In i indices -> is_derive (f i) x (df i)) -> (forall i, In i indices -> is_derive (g i) x (dg i)) ->
  (ex_derive (fun y => sum_over indices (fun i => Rmin (f i y) (g i y))) x <->
   (forall i, In i indices -> f i x = g i x -> df i = dg i)).
Proof.
  intros f_derive g_derive.
  pose proof (sum_of_minima_differentiable_iff (V := R_NormedModule) indices f g
    (fun i v => v * df i) (fun i v => v * dg i) x f_derive g_derive) as [only_if _].
  split.
  - intros [d diff] i i_in tie. enough (1 * df i = 1 * dg i) by lra.
    apply only_if; [exists (fun v => v * d); exact diff|assumption..].
  - intros ties. exists (sum_over indices (fun i => if Rle_dec (f i x) (g i x) then df i else dg i)).
    apply differential_of_derivative. eapply differential_ext_map;
      [|apply (sum_of_minima_differential (V := R_NormedModule) indices f g
                 (fun i v => v * df i) (fun i v => v * dg i) x f_derive g_derive)].
    + intros v. rewrite <- sum_over_scal. apply sum_over_ext; intros i _. unfold selected_differential.
      destruct (Rle_dec _ _); reflexivity.
    + intros i i_in tie v. rewrite (ties i i_in tie). reflexivity.
Qed.

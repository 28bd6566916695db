(** * Differentials of real functions on a normed module

    V is any real normed module: R, R^d (Coordinates.v), and so on.  [differential_at f x l] says that l is the
    total (Frechet) derivative of f at x; [differentiable f x] that one exists.

    Main results
    - the rules: [differential_plus], [differential_mult], [differential_comp], [differential_sum]
    - [touching_functions_share_differential]: if f <= g everywhere, f = g at x and both are differentiable at x,
      then their differentials at x are equal
    - [differential_unique]
    - [strict_inequality_is_local]: f < g at x holds in a neighbourhood of x *)
Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Grpo Require Import FiniteSums.
Import ListNotations.
Open Scope R_scope.

Section Differentials.
Context {V : NormedModule R_AbsRing}.
Implicit Types (f g : V -> R) (x v : V) (l : V -> R).

Definition differential_at f x l : Prop := @filterdiff R_AbsRing V R_NormedModule f (locally x) l.
Definition differentiable f x : Prop := exists l, differential_at f x l.

(** The definition without filters: an error smaller than any multiple of the distance. *)
Lemma differential_at_iff f x l : differential_at f x l <->
  @is_linear R_AbsRing V R_NormedModule l /\
  forall eps : posreal, locally x (fun y => Rabs (f y - f x - l (minus y x)) <= eps * norm (minus y x)).
Proof.
  unfold differential_at, filterdiff, is_domin. split; intros [linear small]; split; try exact linear.
  - intros eps. exact (small x (fun P at_x => at_x) eps).
  - intros x' limit eps. apply is_filter_lim_locally_unique in limit. subst x'. exact (small eps).
Qed.

(** ** Rules *)
Lemma differential_ext f g x l : (forall y, f y = g y) -> differential_at f x l -> differential_at g x l.
Proof. intros equal. apply filterdiff_ext; exact equal. Qed.

Lemma differential_ext_locally f g x l :
  locally x (fun y => f y = g y) -> differential_at f x l -> differential_at g x l.
Proof. apply filterdiff_ext_locally. Qed.

Lemma differential_ext_map f x l1 l2 : (forall v, l1 v = l2 v) -> differential_at f x l1 -> differential_at f x l2.
Proof. intros equal diff. exact (filterdiff_ext_lin f l1 l2 diff equal). Qed.

Lemma differential_const c x : differential_at (fun _ => c) x (fun _ => 0).
Proof. exact (filterdiff_const (U := V) (V := R_NormedModule) c). Qed.

Lemma differential_plus f g x lf lg : differential_at f x lf -> differential_at g x lg ->
  differential_at (fun y => f y + g y) x (fun v => lf v + lg v).
Proof. intros df dg. exact (filterdiff_plus_fct f g lf lg df dg). Qed.

Lemma differential_minus f g x lf lg : differential_at f x lf -> differential_at g x lg ->
  differential_at (fun y => f y - g y) x (fun v => lf v - lg v).
Proof. intros df dg. exact (filterdiff_minus_fct f g lf lg df dg). Qed.

Lemma differential_scal c f x lf : differential_at f x lf ->
  differential_at (fun y => c * f y) x (fun v => c * lf v).
Proof. intros df. exact (filterdiff_scal_r_fct c f lf Rmult_comm df). Qed.

Lemma differential_mult f g x lf lg : differential_at f x lf -> differential_at g x lg ->
  differential_at (fun y => f y * g y) x (fun v => lf v * g x + f x * lg v).
Proof. intros df dg. exact (filterdiff_mult_fct f g x lf lg Rmult_comm df dg). Qed.

Lemma differential_comp (h : R -> R) f x lf d : differential_at f x lf -> is_derive h (f x) d ->
  differential_at (fun y => h (f y)) x (fun v => lf v * d).
Proof. intros df dh. exact (filterdiff_comp' f h x lf (fun y => scal y d) df dh). Qed.

Lemma differential_sum {I : Type} (indices : list I) (f : I -> V -> R) (l : I -> V -> R) x :
  (forall i, In i indices -> differential_at (f i) x (l i)) ->
  differential_at (fun y => sum_over indices (fun i => f i y)) x (fun v => sum_over indices (fun i => l i v)).
Proof.
  induction indices as [|i rest IH]; intros diff; [exact (differential_const 0 x)|].
  apply (differential_plus (f i) (fun y => sum_over rest (fun i => f i y))); [apply diff; simpl; auto|].
  apply IH; intros; apply diff; simpl; auto.
Qed.

Lemma differentiable_minus_iff f g x : differentiable g x ->
  (differentiable (fun y => f y - g y) x <-> differentiable f x).
Proof.
  intros [lg dg]. split; intros [l diff].
  - exists (fun v => l v + lg v). apply (differential_ext (fun y => f y - g y + g y)); [intros; ring|].
    apply (differential_plus (fun y => f y - g y)); assumption.
  - exists (fun v => l v - lg v). apply differential_minus; assumption.
Qed.

Lemma strict_inequality_is_local f g x : differentiable f x -> differentiable g x -> f x < g x ->
  locally x (fun y => f y < g y).
Proof.
  intros [lf df] [lg dg] less. pose proof (differential_minus g f x lg lf dg df) as diff.
  assert (continuous (fun y => g y - f y : R_UniformSpace) x) as cont.
  { apply (filterdiff_continuous (K := R_AbsRing) (V := R_NormedModule)). eexists; exact diff. }
  apply (filter_imp (fun y => 0 < g y - f y)); [intros; lra|].
  apply (cont (fun z => 0 < z)). apply (open_gt 0). lra.
Qed.

(** ** Touching *)
Lemma linear_of_multiple l (h : R) v : @is_linear R_AbsRing V R_NormedModule l -> l (scal h v) = h * l v.
Proof. intros linear. exact (linear_scal l linear h v). Qed.

(** A linear map below every small multiple of the norm is zero. *)
Lemma zero_of_small_multiples l v : (forall eps : posreal, Rabs (l v) <= eps * norm v) -> l v = 0.
Proof.
  intros small. destruct (Req_dec (l v) 0) as [zero|nonzero]; [exact zero|exfalso].
  pose proof (Rabs_pos_lt _ nonzero). pose proof (norm_ge_0 v : 0 <= norm v).
  assert (positive : 0 < Rabs (l v) / 2 / (norm v + 1)) by (repeat apply Rdiv_lt_0_compat; lra).
  specialize (small (mkposreal _ positive)). simpl in small.
  assert (Rabs (l v) / 2 / (norm v + 1) * norm v <= Rabs (l v) / 2); [|lra].
  apply Rmult_le_reg_r with (norm v + 1); [lra|].
  replace (Rabs (l v) / 2 / (norm v + 1) * norm v * (norm v + 1)) with (Rabs (l v) / 2 * norm v) by (field; lra).
  apply Rmult_le_compat_l; lra.
Qed.

(** A multiple of v that stays within a given distance. *)
Lemma short_multiple (radius : posreal) v : exists h, 0 < h /\ h * norm v < radius.
Proof.
  pose proof (norm_ge_0 v : 0 <= norm v). pose proof (cond_pos radius).
  exists (radius / 2 / (norm v + 1)). split; [repeat apply Rdiv_lt_0_compat; lra|].
  apply Rmult_lt_reg_r with (norm v + 1); [lra|].
  replace (radius / 2 / (norm v + 1) * norm v * (norm v + 1)) with (radius / 2 * norm v) by (field; lra). nra.
Qed.

Lemma differential_at_minimum d x l : differential_at d x l -> (forall y, 0 <= d y) -> d x = 0 ->
  forall v, l v = 0.
Proof.
  intros diff nonneg zero v. apply zero_of_small_multiples. intros eps.
  apply differential_at_iff in diff. destruct diff as [linear small].
  specialize (small eps). apply locally_norm_le_locally in small. destruct small as [radius small].
  destruct (short_multiple radius v) as (h & h_pos & h_short).
  assert (below : forall s, Rabs s = h -> - (eps * (h * norm v)) <= s * l v).
  { intros s abs_s. set (y := plus x (scal s v)).
    assert (minus y x = scal s v) as shift
      by (unfold y, minus; rewrite plus_comm, plus_assoc, plus_opp_l, plus_zero_l; reflexivity).
    assert (norm (minus y x) <= h * norm v) as close
      by (rewrite shift, <- abs_s; exact (@norm_scal R_AbsRing V s v)).
    assert (inside : ball_norm x radius y) by (eapply Rle_lt_trans; [exact close|exact h_short]).
    specialize (small y inside). rewrite zero, shift, linear_of_multiple in small by exact linear.
    rewrite <- shift in small. pose proof (nonneg y). pose proof (Rle_abs (d y - 0 - s * l v)).
    pose proof (cond_pos eps).
    assert (eps * norm (minus y x) <= eps * (h * norm v)) by (apply Rmult_le_compat_l; lra). lra. }
  pose proof (below h (Rabs_pos_eq _ (Rlt_le _ _ h_pos))) as right.
  pose proof (below (- h) ltac:(rewrite Rabs_Ropp; apply Rabs_pos_eq; lra)) as left.
  apply Rabs_le. split; apply Rmult_le_reg_l with h; try assumption; lra.
Qed.

Theorem touching_functions_share_differential f g x lf lg :
  differential_at f x lf -> differential_at g x lg -> (forall y, f y <= g y) -> f x = g x ->
  forall v, lf v = lg v.
Proof.
  intros df dg below touch v. enough (lg v - lf v = 0) by lra.
  apply (differential_at_minimum _ x _ (differential_minus g f x lg lf dg df)); [|lra].
  intros y; specialize (below y); lra.
Qed.

Theorem differential_unique f x l1 l2 :
  differential_at f x l1 -> differential_at f x l2 -> forall v, l1 v = l2 v.
Proof. intros d1 d2. apply (touching_functions_share_differential f f x l1 l2 d1 d2); intros; lra. Qed.

Corollary differential_zero_if_constant_on_open (U : V -> Prop) f c x l :
  open U -> U x -> (forall y, U y -> f y = c) -> differential_at f x l -> forall v, l v = 0.
Proof.
  intros U_open x_in constant diff. apply (differential_unique (fun _ => c) x); [|apply differential_const].
  apply (differential_ext_locally f); [|exact diff]. apply (filter_imp U); [exact constant|exact (U_open x x_in)].
Qed.
End Differentials.

(** The derivative along a line through x. *)
Lemma derivative_along_line {V : NormedModule R_AbsRing} (f : V -> R) (x v : V) l : differential_at f x l ->
  is_derive (fun h : R => f (plus x (scal h v))) 0 (l v).
Proof.
  intros diff.
  assert (line : @filterdiff R_AbsRing R_NormedModule V (fun h : R_AbsRing => plus x (scal h v)) (locally 0)
                   (fun h => scal h v)).
  { eapply filterdiff_ext_lin;
      [apply filterdiff_plus_fct; [apply filterdiff_const|apply (filterdiff_linear _ (is_linear_scal_l v))]|].
    intros h; apply plus_zero_l. }
  assert (start : plus x (scal (0 : R_AbsRing) v) = x)
    by exact (eq_trans (f_equal (plus x) (scal_zero_l v)) (plus_zero_r x)).
  assert (at_start : @filterdiff R_AbsRing V R_NormedModule f (locally (plus x (scal (0 : R_AbsRing) v))) l)
    by (rewrite start; exact diff).
  pose proof (filterdiff_comp' (fun h : R_AbsRing => plus x (scal h v)) f (0 : R_AbsRing)
    (fun h => scal h v) l line at_start)
    as chain.
  eapply filterdiff_ext_lin; [exact chain|]. intros h. apply linear_of_multiple. apply diff.
Qed.

(** In one variable the differential is multiplication with Coquelicot's derivative. *)
Lemma differential_of_derivative (f : R -> R) (x d : R) :
  is_derive f x d <-> differential_at (V := R_NormedModule) f x (fun v => v * d).
Proof. reflexivity. Qed.

Lemma differential_id (x : R) : differential_at (V := R_NormedModule) (fun y => y) x (fun v => v).
Proof. apply (filterdiff_id (V := R_NormedModule)). Qed.

(** * R^d: the Euclidean reading of the differentials

    Everything about differentials is proved in any real normed module; R^d is one.

    Main results
    - [euclidean]: R^(d+1) as a normed module, with its standard basis [basis]
    - [differential_zero_iff_partials_zero]: a linear functional vanishes exactly when its partial derivatives do; so
      "nonzero gradient" in claim F2 is the same as "some nonzero partial derivative"
    - [objective_partial_derivative] (F2): the i-th partial derivative of the objective is the differential of
      ObjectiveGradient.v at the i-th basis vector *)
From Coquelicot Require Import Coquelicot.
Require Import Reals Lra List.
From Grpo Require Import Procedure Differentials Objective ObjectiveGradient.
Import ListNotations.
Open Scope R_scope.

(** Nested pairs, with the norm sqrt(|a|^2 + |w|^2). *)
Fixpoint euclidean (d : nat) : NormedModule R_AbsRing :=
  match d with
  | O => R_NormedModule
  | S d' => prod_NormedModule R_AbsRing R_NormedModule (euclidean d')
  end.

Fixpoint basis (d : nat) : list (euclidean d) :=
  match d as d return list (euclidean d) with
  | O => [1]
  | S d' => (1, zero) :: map (fun e : euclidean d' => (0, e)) (basis d')
  end.

Lemma zero_first_coordinate_linear d : @is_linear R_AbsRing (euclidean d) (euclidean (S d)) (fun w => (0, w)).
Proof.
  apply (is_linear_prod (K := R_AbsRing) (T := euclidean d) (U := R_NormedModule) (V := euclidean d)
    (fun _ => 0) (fun w => w)).
  - exact (is_linear_zero (U := euclidean d) (V := R_NormedModule)).
  - exact (is_linear_id (V := euclidean d)).
Qed.

Theorem differential_zero_iff_partials_zero d (l : euclidean d -> R) :
  @is_linear R_AbsRing (euclidean d) R_NormedModule l ->
  ((forall e, In e (basis d) -> l e = 0) <-> (forall v, l v = 0)).
Proof.
  intros linear. split; [|auto]. revert l linear. induction d as [|d IH]; intros l linear zero_partials v.
  - assert (l 1 = 0) as at_1 by (apply zero_partials; left; reflexivity).
    replace v with (scal (v : R_AbsRing) (1 : R_NormedModule)) by (unfold scal; simpl; unfold mult; simpl; ring).
    rewrite linear_of_multiple by exact linear. simpl in *. rewrite at_1. ring.
  - destruct v as [a w].
    assert (l (1, zero) = 0) as first by (apply zero_partials; left; reflexivity).
    assert (l (0, w) = 0) as rest.
    { apply (IH (fun w => l (0, w))).
      - apply (is_linear_comp (U := euclidean d) (V := euclidean (S d)) (W := R_NormedModule) (fun w => (0, w)) l);
          [apply zero_first_coordinate_linear|exact linear].
      - intros e e_in. apply zero_partials. right. apply in_map_iff. exists e; auto. }
    replace (l (a, w)) with (l (plus (scal (a : R_AbsRing) ((1, zero) : euclidean (S d))) ((0, w) : euclidean (S d)))).
    + rewrite (linear_plus l linear), linear_of_multiple, first, rest by exact linear. unfold plus; simpl; ring.
    + f_equal. unfold plus, scal; simpl. unfold prod_plus, prod_scal; simpl. f_equal.
      * unfold plus, scal; simpl; unfold mult; simpl; ring.
      * exact (eq_trans (f_equal (fun z : euclidean d => plus z w) (scal_zero_r (V := euclidean d) (a : R_AbsRing)))
                 (plus_zero_l w)).
Qed.

Theorem objective_partial_derivative d (Prompt Response : Type) (P : problem (euclidean d) Prompt Response)
    (G : nat) frozen theta mass_differential e :
  lawful P -> open (domain P) -> well_drawn P G frozen -> domain P theta ->
  (forall q b, In b (support P q) -> differential_at (fun y => policy P y q b) theta (mass_differential q b)) ->
  In e (basis d) -> differentiable (objective P frozen) theta ->
  is_derive (fun h : R => objective P frozen (plus theta (scal h e))) 0
    (objective_differential P frozen theta mass_differential e).
Proof.
  intros P_lawful domain_open drawn inside masses _ diff.
  apply (objective_directional_derivative P P_lawful G frozen drawn theta inside mass_differential masses domain_open).
  apply (objective_differentiable_iff P P_lawful G frozen drawn theta inside mass_differential masses), diff.
Qed.

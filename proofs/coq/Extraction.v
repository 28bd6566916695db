(** * The model that is run: the procedure and the executable definitions, on rational numbers

    Extracted to OCaml (extracted/model.ml) and run by driver.ml.  The square root is exact where it is rational;
    elsewhere, and for the logarithm everywhere, a rational stand-in is supplied to both sides of the comparison: the
    definitions take whatever root and logarithm they are supplied with.

    Main definitions: [rational_arithmetic], [rational_root], [stand_in_logarithm]; extracted are [run] of Procedure.v
    and the definitions of Executable.v at [rational_arithmetic] *)
Require Import QArith List Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From Grpo Require Import Procedure Executable.
Open Scope Q_scope.

Definition rational_root (q : Q) : Q :=
  let reduced := Qred q in
  let n := Qnum reduced in
  let d := Zpos (Qden reduced) in
  let root_n := Z.sqrt n in
  let root_d := Z.sqrt d in
  if (Z.eqb (root_n * root_n) n && Z.eqb (root_d * root_d) d)%bool
  then Qred (inject_Z root_n / inject_Z root_d) else reduced.

Definition stand_in_logarithm (q : Q) : Q := Qred (q - / q).

Definition rational_arithmetic : arithmetic := Arithmetic Q (fun n => inject_Z (Z.of_nat n))
  (fun a b => Qred (a + b)) (fun a b => Qred (a - b)) (fun a b => Qred (a * b)) (fun a b => Qred (a / b))
  (fun a b => if Qle_bool a b then a else b) (fun a b => if Qle_bool a b then b else a)
  (fun a b => negb (Qle_bool b a)) Qeq_bool rational_root stand_in_logarithm.

Definition rational_step (size theta slope : Q) : Q := Qred (theta + size * slope).

(** ** With their types, for the driver: prompts and responses are numbered *)
Notation masses := (nat -> nat -> Q).
Notation numbered_group := (list (nat * Q)).

Definition rational_advantage (g : numbered_group) (d : nat * Q) : Q := drawn_advantage rational_arithmetic g d.
Definition rational_ratio (old current : masses) (q y : nat) : Q := ratio_of rational_arithmetic old current q y.
Definition rational_term (epsilon advantage rho : Q) : Q := term_of rational_arithmetic epsilon advantage rho.
Definition rational_divergence (responses : nat -> list nat) (reference current : masses) (q : nat) : Q :=
  divergence_of rational_arithmetic responses reference current q.
Definition rational_objective (epsilon beta : Q) (responses : nat -> list nat) (old reference current : masses)
    (groups : list (nat * numbered_group)) : Q :=
  objective_of rational_arithmetic epsilon beta responses old reference current groups.
Definition rational_gradient (epsilon beta : Q) (responses : nat -> list nat) (old reference current : masses)
    (groups : list (nat * numbered_group)) (slopes : list masses) : option (list Q) :=
  gradient_of rational_arithmetic epsilon beta responses old reference current groups slopes.

Definition rational_draw (masses_in_order : list Q) (bits : list bool) : option nat :=
  number_drawn rational_arithmetic masses_in_order bits 0 1.

Extraction Language OCaml.
Extraction "extracted/model.ml" run rational_step rational_advantage rational_ratio rational_term rational_divergence
  rational_objective rational_gradient rational_draw.

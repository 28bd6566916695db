(** * The definitions once more, over any supply of arithmetic

    The real-valued definitions of this development cannot be run.  Here they are written over an abstract supply of
    arithmetic, as in the Python code: on the reals they are the definitions that the theorems are about; on rational
    numbers, with a square root and a logarithm that are supplied, they are extracted and run (Extraction.v).

    Main results: on the reals
    - [advantages_agree], [term_agrees], [divergence_agrees], [objective_agrees]: the executable definitions
      are those of Advantage.v, ClippedTerm.v, Divergence.v and Objective.v
    - [draw_agrees]: the number drawn from a string of bits is that of the response drawn in BitSampler.v
    - [kinked_agrees], [gradient_agrees]: the executable kink test and gradient are those of claim F2 *)
From Coquelicot Require Import Coquelicot.
Require Import Reals Lra List.
From Grpo Require Import FiniteSums Procedure Advantage ClippedTerm FiniteLaws Divergence Objective ObjectiveGradient
  BitSampler.
Import ListNotations.

Record arithmetic := Arithmetic {
  number :> Type;
  of_nat : nat -> number;
  add : number -> number -> number;
  subtract : number -> number -> number;
  multiply : number -> number -> number;
  divide : number -> number -> number;
  minimum : number -> number -> number;
  maximum : number -> number -> number;
  less : number -> number -> bool;
  equal : number -> number -> bool;
  root : number -> number;
  logarithm : number -> number }.

Section Definitions.
Variable A : arithmetic.
Notation zero := (of_nat A 0).
Notation one := (of_nat A 1).

Definition total {I : Type} (l : list I) (f : I -> A) : A := fold_right (fun i s => add A (f i) s) zero l.
Definition averaged {I : Type} (l : list I) (f : I -> A) : A := divide A (total l f) (of_nat A (length l)).

(** ** Advantages *)
Definition mean_of (rewards : list A) : A := averaged rewards (fun r => r).
Definition deviation_of (rewards : list A) : A :=
  root A (averaged rewards (fun r => let d := subtract A r (mean_of rewards) in multiply A d d)).
Definition advantage_of (rewards : list A) (r : A) : A :=
  if equal A (deviation_of rewards) zero then zero
  else divide A (subtract A r (mean_of rewards)) (deviation_of rewards).

(** ** Terms *)
Definition clip_of (epsilon rho : A) : A :=
  minimum A (add A one epsilon) (maximum A (subtract A one epsilon) rho).
Definition term_of (epsilon advantage rho : A) : A :=
  minimum A (multiply A rho advantage) (multiply A (clip_of epsilon rho) advantage).
Definition bound_of (epsilon advantage : A) : A :=
  if less A zero advantage then add A one epsilon else subtract A one epsilon.

(** ** Draws *)
(** The number of the cell that holds an interval. *)
Fixpoint cell_number (start : A) (masses : list A) (lo hi : A) : option nat :=
  match masses with
  | [] => None
  | m :: rest =>
    if (negb (less A lo start) && negb (less A (add A start m) hi))%bool then Some O
    else option_map S (cell_number (add A start m) rest lo hi)
  end.

Fixpoint number_drawn (masses : list A) (bits : list bool) (lo width : A) : option nat :=
  match cell_number zero masses lo (add A lo width) with
  | Some j => Some j
  | None => match bits with
            | [] => None
            | upper :: rest => let half := divide A width (of_nat A 2) in
                               number_drawn masses rest (if upper then add A lo half else lo) half
            end
  end.

(** ** The objective of frozen data: groups of (response, reward), masses by prompt and response *)
Section Objective.
Context {Prompt Response : Type}.
Variables (epsilon beta : A) (responses : Prompt -> list Response).
Variables (old reference current : Prompt -> Response -> A).
Notation group := (list (Response * A)).

Definition ratio_of (q : Prompt) (y : Response) : A := divide A (current q y) (old q y).
Definition divergence_of (q : Prompt) : A :=
  total (responses q) (fun b => multiply A (current q b) (logarithm A (divide A (current q b) (reference q b)))).
Definition drawn_advantage (g : group) (d : Response * A) : A := advantage_of (map snd g) (snd d).

Definition objective_of (groups : list (Prompt * group)) : A :=
  averaged groups (fun '(q, g) => subtract A
    (averaged g (fun d => term_of epsilon (drawn_advantage g d) (ratio_of q (fst d))))
    (multiply A beta (divergence_of q))).

(** The kink test and the gradient of claim F2; [slope] is a partial derivative of the masses. *)
Definition moving_on_bound (slopes : list (Prompt -> Response -> A)) (groups : list (Prompt * group)) : bool :=
  existsb (fun '(q, g) => existsb (fun d => let a := drawn_advantage g d in
    if equal A a zero then false
    else if equal A (ratio_of q (fst d)) (bound_of epsilon a)
    then existsb (fun slope => negb (equal A (slope q (fst d)) zero)) slopes else false) g) groups.

Definition partial_derivative (groups : list (Prompt * group)) (slope : Prompt -> Response -> A) : A :=
  averaged groups (fun '(q, g) => subtract A
    (averaged g (fun d => let a := drawn_advantage g d in
      if less A (multiply A (ratio_of q (fst d)) a) (multiply A (bound_of epsilon a) a)
      then multiply A a (divide A (slope q (fst d)) (old q (fst d))) else zero))
    (multiply A beta (total (responses q) (fun b =>
      multiply A (slope q b) (logarithm A (divide A (current q b) (reference q b))))))).

Definition gradient_of (groups : list (Prompt * group)) (slopes : list (Prompt -> Response -> A)) : option (list A) :=
  if moving_on_bound slopes groups then None else Some (map (partial_derivative groups) slopes).
End Objective.
End Definitions.

(** ** On the reals *)
Open Scope R_scope.

Definition real_arithmetic : arithmetic := Arithmetic R INR Rplus Rminus Rmult Rdiv Rmin Rmax
  (fun x y => if Rlt_dec x y then true else false) (fun x y => if Req_EM_T x y then true else false) sqrt ln.
Notation reals := real_arithmetic.

Lemma averaged_agrees {I : Type} (l : list I) (f g : I -> R) : (forall i, In i l -> f i = g i) ->
  averaged reals l f = average l g.
Proof.
  intros same. unfold averaged, average. simpl. rewrite (Rmult_comm (/ _)). unfold Rdiv. f_equal.
  apply (sum_over_ext l f g same).
Qed.

Section Advantages.
Context {Occurrence : Type}.
Variable group : list Occurrence.
Variable reward : Occurrence -> R.

Lemma mean_agrees : mean_of reals (map reward group) = mean group reward.
Proof.
  unfold mean_of, averaged, mean, size. rewrite map_length. simpl. f_equal.
  apply (sum_over_map reward group (fun r => r)).
Qed.

Lemma deviation_agrees : deviation_of reals (map reward group) = deviation group reward.
Proof.
  unfold deviation_of, deviation, variance, averaged, size. rewrite map_length, mean_agrees. simpl.
  f_equal. f_equal. etransitivity; [apply (sum_over_map reward)|]. apply sum_over_ext; intros; ring.
Qed.

Theorem advantages_agree i : advantage_of reals (map reward group) (reward i) = advantage group reward i.
Proof.
  unfold advantage_of, advantage. rewrite deviation_agrees, mean_agrees. simpl.
  destruct (Req_EM_T _ _); reflexivity.
Qed.
End Advantages.

Theorem term_agrees epsilon A rho : term_of reals epsilon A rho = term epsilon A rho.
Proof. reflexivity. Qed.

Lemma bound_agrees epsilon A : bound_of reals epsilon A = active_bound epsilon A.
Proof. unfold bound_of, active_bound; simpl. destruct (Rlt_dec 0 A); reflexivity. Qed.

Section DrawAgrees.
Context {Response : Type}.
Variable mass : Response -> R.

Lemma cell_number_agrees support : forall start lo width,
  option_map (fun c => Some (fst c)) (find (fun c => inside lo width (snd c)) (cells mass start support))
  = option_map (fun j => nth_error support j) (cell_number reals start (map mass support) lo (lo + width)).
Proof.
  induction support as [|b rest IH]; intros start lo width; [reflexivity|]. simpl.
  assert (inside lo width (start, start + mass b)
    = (negb (if Rlt_dec lo start then true else false)
       && negb (if Rlt_dec (start + mass b) (lo + width) then true else false))%bool) as same.
  { unfold inside; simpl. destruct (Rle_dec _ _), (Rlt_dec _ _); try lra; simpl; try reflexivity.
    destruct (Rle_dec _ _), (Rlt_dec _ _); (reflexivity || lra). }
  rewrite same. destruct (_ && _)%bool; [reflexivity|]. rewrite IH.
  destruct (cell_number reals _ _ _ _); reflexivity.
Qed.

Theorem draw_agrees support bits : forall lo width,
  option_map (fun b => Some b) (draw_from_bits support mass bits lo width)
  = option_map (fun j => nth_error support j) (number_drawn reals (map mass support) bits lo width).
Proof.
  induction bits as [|upper rest IH]; intros lo width; simpl;
    pose proof (cell_number_agrees support 0 lo width) as cell; unfold decide;
    destruct (find _ _) as [[b c]|], (cell_number reals 0 (map mass support) lo (lo + width)) as [j|];
    simpl in *; try discriminate; try exact cell; try reflexivity.
  destruct upper; apply IH.
Qed.
End DrawAgrees.

Section ObjectiveAgrees.
Context {V : NormedModule R_AbsRing} {Prompt Response : Type}.
Variable P : problem V Prompt Response.
Variable frozen : frozen_groups V Prompt Response.
Variable theta : V.
Notation epsilon := (clip_threshold P).
Notation beta := (penalty_weight P).
Notation old := (policy P (old_parameter frozen)).

Theorem divergence_agrees q :
  divergence_of reals (support P) (reference frozen) (policy P theta) q = penalty P frozen theta q.
Proof. reflexivity. Qed.

Lemma drawn_advantage_agrees (g : list (Response * R)) d : drawn_advantage reals g d = group_advantage g d.
Proof. apply (advantages_agree g snd d). Qed.

Theorem objective_agrees :
  objective_of reals epsilon beta (support P) old (reference frozen) (policy P theta) (groups frozen)
  = objective P frozen theta.
Proof.
  apply averaged_agrees. intros [q g] _. simpl. f_equal.
  apply averaged_agrees. intros d _. rewrite drawn_advantage_agrees. apply term_agrees.
Qed.

Theorem kinked_agrees (slopes : list (Prompt -> Response -> R)) :
  moving_on_bound reals epsilon old (policy P theta) slopes (groups frozen) = true <->
  exists q g d slope, occurs frozen q g d /\ on_active_bound P frozen theta q g d /\
    In slope slopes /\ slope q (fst d) <> 0.
Proof.
  unfold moving_on_bound. rewrite existsb_exists. split.
  - intros ([q g] & g_in & found). apply existsb_exists in found. destruct found as (d & d_in & found).
    revert found. cbv zeta. rewrite drawn_advantage_agrees, bound_agrees. simpl.
    destruct (Req_EM_T (group_advantage g d) 0) as [|nonzero]; [discriminate|].
    destruct (Req_EM_T _ _) as [tie|]; [|discriminate]. intros found.
    apply existsb_exists in found. destruct found as (slope & slope_in & moving). exists q, g, d, slope.
    repeat split; try assumption. intros zero. rewrite zero in moving.
    destruct (Req_EM_T 0 0); [discriminate|congruence].
  - intros (q & g & d & slope & [g_in d_in] & [nonzero tie] & slope_in & moving). exists (q, g). split; [exact g_in|].
    apply existsb_exists. exists d. split; [exact d_in|]. cbv zeta. rewrite drawn_advantage_agrees, bound_agrees. simpl.
    destruct (Req_EM_T (group_advantage g d) 0) as [|_]; [contradiction|].
    destruct (Req_EM_T _ _) as [_|differ]; [|contradiction].
    apply existsb_exists. exists slope. split; [exact slope_in|]. destruct (Req_EM_T _ _); [contradiction|reflexivity].
Qed.

Theorem gradient_agrees (mass_differential : Prompt -> Response -> V -> R) (v : V) :
  partial_derivative reals epsilon beta (support P) old (reference frozen) (policy P theta) (groups frozen)
    (fun q b => mass_differential q b v)
  = objective_differential P frozen theta mass_differential v.
Proof.
  apply averaged_agrees. intros [q g] _. simpl. f_equal.
  apply averaged_agrees. intros d _. cbv zeta. rewrite drawn_advantage_agrees, bound_agrees.
  unfold term_differential, ratio_differential. simpl.
  destruct (Rlt_dec _ _); [unfold Rdiv; ring|reflexivity].
Qed.
End ObjectiveAgrees.

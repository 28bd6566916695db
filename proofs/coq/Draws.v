(** * Draws as a finite probability space (claim G3)

    A decision tree of draws: at each node a law on a finite list is sampled, and what happens next may depend on what
    came out.  Its law is the list of its leaves with the product of the masses along the path ([distribution]).
    The sampler of one outer iteration draws G responses for every prompt from the frozen policy.

    Main results
    - [expectation_of_then]: the expectation over a tree is the expectation of the conditional expectations
    - [group_law] (G3): the probability that a group of draws is exactly y_1 .. y_G is p(y_1) ... p(y_G)
    - [group_draws_independent] (G3): the expectation of f_1(Y_1) ... f_G(Y_G) is the product of the expectations
    - [each_draw_has_the_policy_law] (G3): every single draw has the law p
    - [one_of_each_independent] (G3): the same for draws from different laws, hence for the groups of all prompts
    - [total_probability]: the masses of all groups sum to 1 *)
Require Import Reals Lra Lia List.
From Grpo Require Import FiniteSums FiniteLaws.
Import ListNotations.
Open Scope R_scope.

Definition distribution (A : Type) : Type := list (A * R).

Section Distribution.
Context {A B : Type}.
Implicit Types (d : distribution A) (f g : A -> R).

Definition expectation d f : R := sum_over d (fun '(a, w) => w * f a).

Definition always (a : A) : distribution A := [(a, 1)].

Definition sampled (support : list A) (mass : A -> R) : distribution A := map (fun a => (a, mass a)) support.

Definition is_probability (d : distribution A) : Prop :=
  (forall a w, In (a, w) d -> 0 <= w) /\ expectation d (fun _ => 1) = 1.
End Distribution.

(** First [d], then the tree that its outcome leads to. *)
Definition and_then {A B : Type} (d : distribution A) (next : A -> distribution B) : distribution B :=
  flat_map (fun '(a, w) => map (fun '(b, v) => (b, w * v)) (next a)) d.

Section Expectation.
Context {A B : Type}.
Implicit Types (d : distribution A) (f g : A -> R).

Lemma expectation_ext d f g : (forall a w, In (a, w) d -> f a = g a) -> expectation d f = expectation d g.
Proof. intros equal. apply sum_over_ext. intros [a w] a_in. rewrite (equal a w a_in). reflexivity. Qed.

Lemma expectation_always (a : A) f : expectation (always a) f = f a.
Proof. unfold expectation, always, sum_over; simpl; ring. Qed.

Lemma expectation_sampled support mass f :
  expectation (sampled support mass) f = sum_over support (fun a => mass a * f a).
Proof. unfold expectation, sampled. rewrite sum_over_map. reflexivity. Qed.

Lemma expectation_plus d f g : expectation d (fun a => f a + g a) = expectation d f + expectation d g.
Proof.
  unfold expectation. rewrite <- sum_over_plus. apply sum_over_ext. intros [a w] _. ring.
Qed.

Lemma expectation_scal c d f : expectation d (fun a => c * f a) = c * expectation d f.
Proof. unfold expectation. rewrite <- sum_over_scal. apply sum_over_ext. intros [a w] _. ring. Qed.

Lemma expectation_const c d : is_probability d -> expectation d (fun _ => c) = c.
Proof.
  intros [_ total]. rewrite (expectation_ext d _ (fun _ => c * 1)) by (intros; ring).
  rewrite expectation_scal, total. ring.
Qed.

Lemma expectation_le d f g : is_probability d -> (forall a w, In (a, w) d -> f a <= g a) ->
  expectation d f <= expectation d g.
Proof.
  intros [nonneg _] le. apply sum_over_le. intros [a w] a_in.
  apply Rmult_le_compat_l; [apply (nonneg a w a_in)|apply (le a w a_in)].
Qed.

Theorem expectation_of_then d (next : A -> distribution B) (f : B -> R) :
  expectation (and_then d next) f = expectation d (fun a => expectation (next a) f).
Proof.
  unfold expectation, and_then. rewrite sum_over_flat_map. apply sum_over_ext. intros [a w] _.
  rewrite sum_over_map, <- sum_over_scal. apply sum_over_ext. intros [b v] _. ring.
Qed.

Lemma always_is_probability (a : A) : is_probability (always a).
Proof. split; [intros b w [equal|[]]; injection equal as _ <-; lra|apply expectation_always]. Qed.

Lemma sampled_is_probability (support : list A) mass : law support mass -> is_probability (sampled support mass).
Proof.
  intros [positive total]. split.
  - intros a w a_in. apply in_map_iff in a_in. destruct a_in as (b & equal & b_in). injection equal as _ <-.
    left; apply positive, b_in.
  - rewrite expectation_sampled, (sum_over_ext _ _ mass) by (intros; ring). exact total.
Qed.

Lemma in_and_then d (next : A -> distribution B) b w : In (b, w) (and_then d next) <->
  exists a v u, In (a, v) d /\ In (b, u) (next a) /\ w = v * u.
Proof.
  unfold and_then. rewrite in_flat_map. split.
  - intros ([a v] & a_in & b_in). apply in_map_iff in b_in. destruct b_in as ([c u] & equal & c_in).
    injection equal as -> <-. exists a, v, u. auto.
  - intros (a & v & u & a_in & b_in & ->). exists (a, v). split; [exact a_in|]. apply in_map_iff. exists (b, u). auto.
Qed.

Lemma then_is_probability d (next : A -> distribution B) :
  is_probability d -> (forall a w, In (a, w) d -> is_probability (next a)) -> is_probability (and_then d next).
Proof.
  intros d_probability next_probability. split.
  - intros b w b_in. apply in_and_then in b_in. destruct b_in as (a & v & u & a_in & b_in & ->).
    apply Rmult_le_pos; [apply d_probability in a_in; exact a_in|].
    apply (next_probability a v a_in) in b_in. exact b_in.
  - rewrite expectation_of_then. transitivity (expectation d (fun _ => 1)); [|apply d_probability].
    apply expectation_ext. intros a w a_in. apply (next_probability a w a_in).
Qed.
End Expectation.

(** ** Independent draws, one after another *)
Section Draws.
Context {Response : Type}.

(** One draw from each of the distributions, in order. *)
Fixpoint one_of_each {A : Type} (ds : list (distribution A)) : distribution (list A) :=
  match ds with
  | [] => always []
  | d :: rest => and_then d (fun y => and_then (one_of_each rest) (fun ys => always (y :: ys)))
  end.

Fixpoint product {A : Type} (fs : list (A -> R)) (ys : list A) : R :=
  match fs, ys with
  | f :: fs', y :: ys' => f y * product fs' ys'
  | _, _ => 1
  end.

Theorem one_of_each_independent {A : Type} (ds : list (distribution A)) : forall fs, length fs = length ds ->
  expectation (one_of_each ds) (product fs) =
  fold_right Rmult 1 (map (fun '(d, f) => expectation d f) (combine ds fs)).
Proof.
  induction ds as [|d ds IH]; intros fs same;
    [destruct fs; [apply (expectation_always (@nil A) (product []))|discriminate]|].
  destruct fs as [|f fs]; [discriminate|]. simpl in same. injection same as same.
  simpl combine. simpl map. simpl fold_right. rewrite <- (IH fs same). simpl one_of_each. rewrite expectation_of_then.
  rewrite (Rmult_comm _ (expectation (one_of_each ds) _)), <- expectation_scal.
  apply expectation_ext; intros y w _. rewrite expectation_of_then.
  rewrite (Rmult_comm _ (f y)), <- expectation_scal.
  apply expectation_ext; intros ys v _. rewrite expectation_always. reflexivity.
Qed.

Lemma one_of_each_is_probability {A : Type} (ds : list (distribution A)) :
  (forall d, In d ds -> is_probability d) -> is_probability (one_of_each ds).
Proof.
  induction ds as [|d ds IH]; intros all; [apply always_is_probability|].
  apply then_is_probability; [apply all; simpl; auto|]. intros y _ _.
  apply then_is_probability; [apply IH; intros; apply all; simpl; auto|]. intros; apply always_is_probability.
Qed.

Lemma in_one_of_each {A : Type} (ds : list (distribution A)) : forall ys w, In (ys, w) (one_of_each ds) ->
  Forall2 (fun y d => exists v, In (y, v) d) ys ds.
Proof.
  induction ds as [|d ds IH]; intros ys w ys_in; simpl in ys_in.
  - destruct ys_in as [equal|[]]. injection equal as <- _. constructor.
  - apply in_and_then in ys_in. destruct ys_in as (y & v & u & y_in & rest_in & _).
    apply in_and_then in rest_in. destruct rest_in as (ys' & v' & u' & ys'_in & [equal|[]] & _).
    injection equal as <- _. constructor; [exists v; exact y_in|apply (IH ys' v' ys'_in)].
Qed.

(** ** The law of a group *)
Variable support : list Response.
Variable mass : Response -> R.
Hypothesis mass_law : law support mass.

Definition group_draws (G : nat) : distribution (list Response) := one_of_each (repeat (sampled support mass) G).

Theorem total_probability G : is_probability (group_draws G).
Proof.
  apply one_of_each_is_probability. intros d d_in. apply repeat_spec in d_in. rewrite d_in.
  apply sampled_is_probability, mass_law.
Qed.

Theorem group_draws_independent (fs : list (Response -> R)) :
  expectation (group_draws (length fs)) (product fs) =
  fold_right Rmult 1 (map (fun f => expectation (sampled support mass) f) fs).
Proof.
  unfold group_draws. rewrite one_of_each_independent by (symmetry; apply repeat_length). f_equal.
  induction fs as [|f fs IH]; [reflexivity|]. simpl. rewrite IH. reflexivity.
Qed.

Section Probability.
Hypothesis same_response : forall y y' : Response, {y = y'} + {y <> y'}.
Hypothesis support_distinct : NoDup support.

Definition indicator (y z : Response) : R := if same_response z y then 1 else 0.

Lemma expectation_indicator y : In y support -> expectation (sampled support mass) (indicator y) = mass y.
Proof.
  rewrite expectation_sampled. clear mass_law. induction support_distinct as [|z l z_new l_distinct IH]; [intros []|].
  intros y_in. rewrite sum_over_cons. unfold indicator at 1. destruct (same_response z y) as [->|different].
  - rewrite sum_over_zero; [ring|]. intros z z_in. unfold indicator.
    destruct (same_response z y) as [->|]; [contradiction|ring].
  - destruct y_in as [|y_in]; [congruence|]. rewrite IH by assumption. ring.
Qed.

(** The indicators of y_1 .. y_G multiply to the indicator of the whole list. *)
Lemma product_of_indicators ys : forall zs, length zs = length ys ->
  product (map indicator ys) zs = if list_eq_dec same_response zs ys then 1 else 0.
Proof.
  induction ys as [|y ys IH]; intros [|z zs] same; try discriminate; [reflexivity|].
  injection same as same. simpl product. rewrite (IH zs same). unfold indicator.
  destruct (same_response z y) as [->|different], (list_eq_dec same_response zs ys) as [->|differ];
    destruct (list_eq_dec same_response _ _) as [equal|unequal]; try ring; try congruence.
Qed.

(** The probability that a group of [length ys] draws is exactly [ys], in this order. *)
Definition probability_of (ys : list Response) : R :=
  expectation (group_draws (length ys)) (fun zs => if list_eq_dec same_response zs ys then 1 else 0).

Theorem group_law ys : (forall y, In y ys -> In y support) ->
  probability_of ys = fold_right Rmult 1 (map mass ys).
Proof.
  intros supported. transitivity (expectation (group_draws (length ys)) (product (map indicator ys))).
  - apply expectation_ext. intros zs w zs_in. symmetry. apply product_of_indicators.
    apply in_one_of_each in zs_in. rewrite <- (repeat_length (sampled support mass) (length ys)).
    induction zs_in; simpl; congruence.
  - rewrite <- (map_length indicator ys), group_draws_independent, map_map. f_equal. apply map_ext_in.
    intros y y_in. apply expectation_indicator, supported, y_in.
Qed.
End Probability.

(** ** Each draw *)
Theorem each_draw_has_the_policy_law G (f : Response -> R) (default : Response) i : (i < G)%nat ->
  expectation (group_draws G) (fun ys => f (nth i ys default)) = sum_over support (fun y => mass y * f y).
Proof.
  rewrite <- expectation_sampled. revert i. induction G as [|G IH]; intros i i_lt; [lia|].
  unfold group_draws. simpl. rewrite expectation_of_then.
  pose proof (total_probability G) as rest. pose proof (sampled_is_probability support mass mass_law) as one.
  destruct i as [|i].
  - apply expectation_ext; intros y w _. rewrite expectation_of_then.
    rewrite <- (expectation_const (f y) _ rest).
    apply expectation_ext; intros ys v _. rewrite expectation_always. reflexivity.
  - rewrite <- (expectation_const (expectation (sampled support mass) f) _ one).
    apply expectation_ext; intros y w _. rewrite expectation_of_then, <- (IH i) by lia.
    apply expectation_ext; intros ys v _. rewrite expectation_always. reflexivity.
Qed.
End Draws.

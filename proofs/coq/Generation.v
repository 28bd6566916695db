(** * Truncated responses and their masses (claims A3, G2, G4, G5)

    A response is generated token by token from a vocabulary with end tokens, up to a horizon H.  The mass of a
    token may depend on the whole prefix before it; [offered] lists the tokens that may follow a prefix: the whole
    vocabulary for the response set Y_q, the tokens of positive mass for the support B_q.

    Main results, for every horizon
    - [in_responses_iff], [responses_distinct]: the generated list is the truncated response set, each once
    - [response_masses_sum_to_one] (G2), by induction on the horizon
    - [response_law] (A3): on the support every mass is positive and they sum to 1;
      [mass_zero_off_support] (A3): every other response has mass 0
    - [sequence_ratio_is_product_of_token_ratios] (G5)
    - [response_divergence_is_prefix_weighted_sum] (G4): KL of the responses is the sum over unfinished prefixes of
      the token KLs, weighted by the current policy's mass of the prefix *)
Require Import Reals Lra Lia List.
From Grpo Require Import FiniteSums FiniteLaws Divergence.
Import ListNotations.
Open Scope R_scope.

Section Generation.
Context {Token : Type}.
Variable ends : Token -> bool.
Notation prefixed := (list Token).
Implicit Types (offered : prefixed -> list Token) (policy old : prefixed -> Token -> R) (y s : prefixed).

(** The completions of a prefix: what may be generated after it with [horizon] tokens left. *)
Fixpoint responses offered (horizon : nat) s : list prefixed :=
  match horizon with
  | O => [[]]
  | S h => flat_map (fun a => map (cons a) (if ends a then [[]] else responses offered h (s ++ [a]))) (offered s)
  end.

Fixpoint response_mass policy s y : R :=
  match y with
  | [] => 1
  | a :: rest => policy s a * response_mass policy (s ++ [a]) rest
  end.

Fixpoint token_ratio_product policy old s y : R :=
  match y with
  | [] => 1
  | a :: rest => policy s a / old s a * token_ratio_product policy old (s ++ [a]) rest
  end.

Definition completions offered (horizon : nat) s (a : Token) : list prefixed :=
  if ends a then [[]] else responses offered horizon (s ++ [a]).

Lemma responses_S offered h s :
  responses offered (S h) s
  = map (fun path => fst path :: snd path) (dependent_pairs (offered s) (completions offered h s)).
Proof.
  simpl. unfold dependent_pairs. induction (offered s) as [|a l IH]; [reflexivity|].
  simpl. rewrite map_app, map_map, IH. reflexivity.
Qed.

(** ** The response set *)
Definition truncated_response (vocabulary : list Token) (horizon : nat) y : Prop :=
  incl y vocabulary /\ (length y <= horizon)%nat /\
  (forall before a behind, y = before ++ a :: behind -> ends a = true -> behind = []) /\
  ((forall a, In a y -> ends a = false) -> length y = horizon).

Theorem in_responses_iff vocabulary horizon : forall s y,
  In y (responses (fun _ => vocabulary) horizon s) <-> truncated_response vocabulary horizon y.
Proof.
  unfold truncated_response. induction horizon as [|h IH]; intros s y.
  - simpl. split.
    + intros [<-|[]]. refine (conj _ (conj (le_n 0) (conj _ (fun _ => eq_refl)))); [intros a []|].
      intros [|] a behind equal; discriminate.
    + intros (_ & short & _). left. destruct y; [reflexivity|simpl in short; lia].
  - simpl responses. rewrite in_flat_map. split.
    + intros (a & a_in & y_in). apply in_map_iff in y_in. destruct y_in as (rest & <- & rest_in).
      destruct (ends a) eqn:a_ends.
      * destruct rest_in as [<-|[]]. refine (conj _ (conj _ (conj _ _))); simpl; [|lia|..].
        -- intros b [<-|[]]; exact a_in.
        -- intros [|b before] c behind equal _; simpl in equal; [congruence|]. destruct before; discriminate.
        -- intros none. specialize (none a (or_introl eq_refl)). congruence.
      * apply IH in rest_in. destruct rest_in as (known & short & last_only & full).
        refine (conj _ (conj _ (conj _ _))); simpl; [|lia|..].
        -- intros b [<-|b_in]; [exact a_in|apply known, b_in].
        -- intros [|b before] c behind equal c_ends; injection equal as <- equal; [congruence|].
           apply (last_only before c behind equal c_ends).
        -- intros none. f_equal. apply full. intros b b_in. apply none. simpl; auto.
    + intros (known & short & last_only & full). destruct y as [|a rest].
      { exfalso. enough (length (@nil Token) = S h) by discriminate. apply full. intros a []. }
      exists a. split; [apply known; simpl; auto|]. apply in_map. destruct (ends a) eqn:a_ends.
      * rewrite (last_only [] a rest eq_refl a_ends). simpl; auto.
      * apply IH. simpl in short. refine (conj _ (conj _ (conj _ _))); [|lia|..].
        -- intros b b_in. apply known; simpl; auto.
        -- intros before c behind equal. apply (last_only (a :: before) c behind). simpl; congruence.
        -- intros none. enough (length (a :: rest) = S h) as equal by (simpl in equal; lia). apply full.
           intros b [<-|b_in]; auto.
Qed.

Lemma distinct_prefixed {A : Type} (l : list A) (l_of : A -> list (list A)) :
  NoDup l -> (forall a, NoDup (l_of a)) -> NoDup (flat_map (fun a => map (cons a) (l_of a)) l).
Proof.
  intros distinct each. induction distinct as [|a l a_new _ IH]; simpl; [constructor|].
  induction (each a) as [|y ys y_new _ IHys]; simpl; [exact IH|]. constructor; [|exact IHys].
  intros found. apply in_app_or in found. destruct found as [found|found].
  - apply in_map_iff in found. destruct found as (z & equal & z_in). injection equal as ->. contradiction.
  - apply in_flat_map in found. destruct found as (b & b_in & found). apply in_map_iff in found.
    destruct found as (z & equal & _). injection equal as -> _. contradiction.
Qed.

Theorem responses_distinct offered horizon : (forall s, NoDup (offered s)) ->
  forall s, NoDup (responses offered horizon s).
Proof.
  intros distinct. assert (one : NoDup [@nil Token]) by (constructor; [intros []|constructor]).
  induction horizon as [|h IH]; intros s; simpl; [exact one|].
  apply distinct_prefixed; [apply distinct|]. intros a. destruct (ends a); [exact one|apply IH].
Qed.

(** ** Masses *)
Lemma sum_over_responses_S offered h s f :
  sum_over (responses offered (S h) s) f
  = sum_over (offered s) (fun a => sum_over (completions offered h s a) (fun rest => f (a :: rest))).
Proof. rewrite responses_S, sum_over_map. apply sum_over_dependent_pairs. Qed.

Theorem response_masses_sum_to_one offered policy horizon :
  (forall s, sum_over (offered s) (policy s) = 1) ->
  forall s, sum_over (responses offered horizon s) (response_mass policy s) = 1.
Proof.
  intros total. induction horizon as [|h IH]; intros s; [unfold sum_over; simpl; ring|].
  rewrite sum_over_responses_S, <- (total s). apply sum_over_ext; intros a _. simpl response_mass.
  rewrite sum_over_scal. unfold completions. destruct (ends a); [unfold sum_over; simpl|rewrite IH]; ring.
Qed.

Section Support.
Variable allowed : prefixed -> list Token.
Variable policy : prefixed -> Token -> R.
Hypothesis token_laws : forall s, law (allowed s) (policy s).

Theorem response_law horizon : forall s, law (responses allowed horizon s) (response_mass policy s).
Proof.
  intros s. split; [|apply response_masses_sum_to_one; intros; apply token_laws].
  revert s. induction horizon as [|h IH]; intros s y.
  - simpl. intros [<-|[]]. simpl. lra.
  - simpl responses. rewrite in_flat_map. intros (a & a_in & y_in). apply in_map_iff in y_in.
    destruct y_in as (rest & <- & rest_in). simpl. apply Rmult_lt_0_compat; [apply token_laws, a_in|].
    destruct (ends a); [destruct rest_in as [<-|[]]; simpl; lra|apply IH, rest_in].
Qed.

Theorem mass_zero_off_support vocabulary horizon :
  (forall s a, In a vocabulary -> In a (allowed s) \/ policy s a = 0) ->
  forall s y, In y (responses (fun _ => vocabulary) horizon s) -> ~ In y (responses allowed horizon s) ->
  response_mass policy s y = 0.
Proof.
  intros allowed_or_zero. induction horizon as [|h IH]; intros s y; [contradiction|].
  simpl responses. rewrite in_flat_map. intros (a & a_in & y_in) outside. apply in_map_iff in y_in.
  destruct y_in as (rest & <- & rest_in). simpl.
  destruct (allowed_or_zero s a a_in) as [a_allowed| ->]; [|ring].
  enough (~ In rest (if ends a then [[]] else responses allowed h (s ++ [a]))) as rest_outside.
  - destruct (ends a); [contradiction|]. rewrite (IH (s ++ [a]) rest rest_in rest_outside). ring.
  - intros inside. apply outside. apply in_flat_map. exists a. split; [exact a_allowed|]. apply in_map, inside.
Qed.
End Support.

(** ** Ratios *)
Theorem sequence_ratio_is_product_of_token_ratios policy old y : forall s,
  response_mass old s y <> 0 ->
  response_mass policy s y / response_mass old s y = token_ratio_product policy old s y.
Proof.
  induction y as [|a rest IH]; intros s nonzero; simpl in *; [field|].
  rewrite <- IH by (intros zero; apply nonzero; rewrite zero; ring).
  field. split; intros zero; apply nonzero; rewrite zero; ring.
Qed.

(** ** Divergence *)
(** The unfinished continuations of a prefix with fewer than [horizon] tokens: where one more token is drawn. *)
Fixpoint unfinished offered (horizon : nat) s : list prefixed :=
  match horizon with
  | O => []
  | S h => [] :: flat_map (fun a => map (cons a) (if ends a then [] else unfinished offered h (s ++ [a]))) (offered s)
  end.

Theorem response_divergence_is_prefix_weighted_sum offered p q horizon :
  (forall s, law (offered s) (p s)) -> (forall s, law (offered s) (q s)) -> forall s,
  divergence (responses offered horizon s) (response_mass p s) (response_mass q s)
  = sum_over (unfinished offered horizon s)
      (fun u => response_mass p s u * divergence (offered (s ++ u)) (p (s ++ u)) (q (s ++ u))).
Proof.
  intros p_laws q_laws. induction horizon as [|h IH]; intros s.
  - unfold divergence, sum_over; simpl. replace (1 / 1) with 1 by field. rewrite ln_1. ring.
  - transitivity (divergence (dependent_pairs (offered s) (completions offered h s))
      (two_step_mass (p s) (fun a => response_mass p (s ++ [a])))
      (two_step_mass (q s) (fun a => response_mass q (s ++ [a])))).
    { unfold divergence. rewrite responses_S, sum_over_map. reflexivity. }
    assert (completion_law : forall policy, (forall s, law (offered s) (policy s)) -> forall a,
              law (completions offered h s a) (response_mass policy (s ++ [a]))).
    { intros policy laws a. unfold completions. destruct (ends a); [|apply response_law, laws].
      split; [intros y [<-|[]]; simpl; lra|unfold sum_over; simpl; ring]. }
    rewrite divergence_chain_rule by auto. simpl unfinished.
    rewrite sum_over_cons, sum_over_flat_map, app_nil_r. simpl response_mass. rewrite Rmult_1_l. f_equal.
    apply sum_over_ext; intros a _. rewrite sum_over_map. unfold completions.
    destruct (ends a).
    + rewrite sum_over_nil. unfold divergence, sum_over; simpl. replace (1 / 1) with 1 by field. rewrite ln_1. ring.
    + rewrite IH, <- sum_over_scal. apply sum_over_ext; intros u _. rewrite <- app_assoc. simpl. ring.
Qed.
End Generation.

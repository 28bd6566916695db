(** * A run as a decision tree (claims G3, C1, C4)

    The procedure with its draws replaced by the sampler's decision tree: at every outer iteration the groups of all
    prompts are drawn from the frozen policy, and everything after depends on what came out.

    Main results
    - [round_groups_independent] (G3): the groups of different prompts are independent; with [group_law] (Draws.v) a
      round of draws has exactly the law of the frozen policy, independently
    - [random_outcome_is_a_scripted_run]: every outcome of the tree is [run] on a script of draws, so all that holds
      for every script (Budgets.v, Admissibility.v) holds with certainty
    - [random_run_is_probability] (C4): the outcomes' probabilities sum to 1
    - [expected_draws], [expected_draws_at_most] (C1): expected draws = M * G * expected iterations started, at
      most T * M * G *)
Require Import Reals Lra Lia List.
From Grpo Require Import FiniteSums Procedure Budgets FiniteLaws Draws.
Import ListNotations.
Open Scope R_scope.

Section RandomRun.
Context {Theta Gradient Prompt Response Reward Reference : Type}.
Variable operations : supply Theta Gradient Prompt Response Reward Reference.
Variable p : plan Prompt Reference.
Variable support : Prompt -> list Response.
Variable policy : Theta -> Prompt -> Response -> R.
Notation M := (length (prompts p)).
Notation G := (group_size p).
Notation T := (outer_budget p).
Notation outcome := (outcome Theta Gradient Prompt Response Reward Reference).

(** ** The tree *)
Definition rewarded (q : Prompt) (ys : list Response) : Prompt * list (Response * Reward) :=
  (q, map (fun y => (y, reward_of operations q y)) ys).

Definition random_group (theta : Theta) (q : Prompt) : distribution (Prompt * list (Response * Reward)) :=
  and_then (group_draws (support q) (policy theta q) G) (fun ys => always (rewarded q ys)).

Definition round_draws (theta : Theta) : distribution (list (Prompt * list (Response * Reward))) :=
  one_of_each (map (random_group theta) (prompts p)).

Fixpoint random_iterations (n t : nat) (theta : Theta) : distribution outcome :=
  match n with
  | O => always (Outcome theta complete [])
  | S n' => and_then (round_draws theta) (fun drawn =>
      let o := outer_iteration operations p t theta drawn in
      match ended o with
      | complete => and_then (random_iterations n' (S t) (returned o)) (fun later => always (after (trace o) later))
      | _ => always o
      end)
  end.

Definition random_run (theta_0 : Theta) : distribution outcome := random_iterations T 1 theta_0.

(** ** Independence of the groups *)
Theorem round_groups_independent theta (fs : list (Prompt * list (Response * Reward) -> R)) : length fs = M ->
  expectation (round_draws theta) (product fs) =
  fold_right Rmult 1 (map (fun '(q, f) =>
    expectation (group_draws (support q) (policy theta q) G) (fun ys => f (rewarded q ys))) (combine (prompts p) fs)).
Proof.
  intros same. unfold round_draws. rewrite one_of_each_independent by (rewrite map_length; exact same). f_equal.
  clear same. revert fs. induction (prompts p) as [|q l IH]; intros [|f fs]; try reflexivity.
  simpl. rewrite IH. f_equal. unfold random_group. rewrite expectation_of_then.
  apply expectation_ext; intros ys w _. apply expectation_always.
Qed.

(** ** Outcomes are runs on scripts *)
Definition scripted (script : nat -> Prompt -> nat -> Response) :
    supply Theta Gradient Prompt Response Reward Reference :=
  Supply (fun t q i _ => script t q i) (reward_of operations) (gradient operations) (propose operations)
    (member operations).

Lemma scripted_iterations_ext script script' n : forall t theta,
  (forall t' q i, (t <= t')%nat -> script t' q i = script' t' q i) ->
  outer_iterations (scripted script) p n t theta = outer_iterations (scripted script') p n t theta.
Proof.
  induction n as [|n IH]; intros t theta agree; [reflexivity|]. cbn [outer_iterations]; cbv zeta.
  assert (draw_groups (scripted script) p t theta = draw_groups (scripted script') p t theta) as ->.
  { apply map_ext; intros q. unfold draw_group. f_equal. apply map_ext; intros i. simpl.
    rewrite agree by lia. reflexivity. }
  change (outer_iteration (scripted script) p t theta) with (outer_iteration (scripted script') p t theta).
  destruct (ended _); [|reflexivity..]. rewrite IH; [reflexivity|]. intros; apply agree; lia.
Qed.

Hypothesis same_prompt : forall q q' : Prompt, {q = q'} + {q <> q'}.
Hypothesis prompts_distinct : NoDup (prompts p).

(** The script that repeats one round of drawn groups. *)
Fixpoint script_of (drawn : list (Prompt * list (Response * Reward))) (default : Response) (q : Prompt) (i : nat) :=
  match drawn with
  | [] => default
  | (q', g) :: rest => if same_prompt q' q then nth (i - 1) (map fst g) default else script_of rest default q i
  end.

Lemma round_draws_shape theta drawn w : In (drawn, w) (round_draws theta) ->
  Forall2 (fun qg q => exists ys, length ys = G /\ qg = rewarded q ys) drawn (prompts p).
Proof.
  intros drawn_in. apply in_one_of_each in drawn_in. induction (prompts p) as [|q l IH] in drawn, drawn_in |- *;
    inversion drawn_in as [|qg d rest ds [v qg_in] rest_in]; subst; constructor; [|apply IH, rest_in].
  apply in_and_then in qg_in. destruct qg_in as (ys & v1 & v2 & ys_in & [equal|[]] & _). injection equal as <- _.
  exists ys. split; [|reflexivity]. apply in_one_of_each in ys_in.
  rewrite <- (repeat_length (sampled (support q) (policy theta q)) G). clear -ys_in. induction ys_in; simpl; congruence.
Qed.

Lemma scripted_group q ys : forall default : nat -> Response,
  map (fun i => let y := nth (i - 1) ys (default i) in (y, reward_of operations q y)) (seq 1 (length ys))
  = snd (rewarded q ys).
Proof.
  induction ys as [|y ys IH]; intros default; [reflexivity|]. simpl. f_equal.
  rewrite <- seq_shift, map_map. etransitivity; [|exact (IH (fun i => default (S i)))]. apply map_ext_in; intros i i_in.
  apply in_seq in i_in. destruct i as [|i]; [lia|]. simpl. rewrite Nat.sub_0_r. reflexivity.
Qed.

Lemma script_repeats_round drawn (default : Prompt -> nat -> Response) t theta script :
  Forall2 (fun qg q => exists ys, length ys = G /\ qg = rewarded q ys) drawn (prompts p) ->
  (forall q i, script t q i = script_of drawn (default q i) q i) ->
  draw_groups (scripted script) p t theta = drawn.
Proof.
  intros shape equal.
  transitivity (map (fun q => (q, map (fun i => let y := script_of drawn (default q i) q i in
    (y, reward_of operations q y)) (seq 1 G))) (prompts p)).
  { apply map_ext; intros q. unfold draw_group. f_equal. apply map_ext; intros i. simpl. rewrite equal. reflexivity. }
  clear equal script. induction shape as [|qg q drawn l (ys & size & ->) _ IH] in prompts_distinct |- *; [reflexivity|].
  inversion prompts_distinct as [|q' l' q_new l_distinct]; subst. simpl map. f_equal.
  - unfold rewarded. f_equal. rewrite <- size.
    transitivity (map (fun i => let y := nth (i - 1) ys (default q i) in (y, reward_of operations q y))
      (seq 1 (length ys)));
      [|apply (scripted_group q ys (default q))].
    apply map_ext; intros i. simpl. destruct (same_prompt q q); [|congruence].
    rewrite map_map, map_id. reflexivity.
  - etransitivity; [|exact (IH l_distinct)]. apply map_ext_in; intros q' q'_in. f_equal. apply map_ext; intros i. simpl.
    destruct (same_prompt q q') as [->|]; [contradiction|reflexivity].
Qed.

Lemma random_iterations_scripted n : forall t theta o w, In (o, w) (random_iterations n t theta) ->
  exists script, o = outer_iterations (scripted script) p n t theta.
Proof.
  induction n as [|n IH]; intros t theta o w o_in.
  - destruct o_in as [equal|[]]. injection equal as <- _.
    exists (fun t q i => draw operations t q i theta). reflexivity.
  - cbn [random_iterations] in o_in. apply in_and_then in o_in.
    destruct o_in as (drawn & v & u & drawn_in & o_in & _). cbv zeta in o_in.
    apply round_draws_shape in drawn_in. set (first := outer_iteration operations p t theta drawn) in *.
    set (default := fun q i => draw operations t q i theta).
    set (extended := fun later t' q i => if Nat.eq_dec t' t then script_of drawn (default q i) q i else later t' q i).
    assert (round : forall later, draw_groups (scripted (extended later)) p t theta = drawn).
    { intros later. apply (script_repeats_round drawn default); [exact drawn_in|]. intros q i. unfold extended.
      destruct (Nat.eq_dec t t); [reflexivity|congruence]. }
    assert (forall later, outer_iteration (scripted (extended later)) p t theta drawn = first) as same_first
      by reflexivity.
    destruct (ended first) eqn:status.
    + apply in_and_then in o_in. destruct o_in as (later & v' & u' & later_in & [equal|[]] & _).
      injection equal as <- _. destruct (IH _ _ _ _ later_in) as (script & ->). exists (extended script).
      cbn [outer_iterations]; cbv zeta. rewrite round, same_first, status. f_equal.
      apply scripted_iterations_ext. intros t' q i later_t. unfold extended.
      destruct (Nat.eq_dec t' t); [lia|reflexivity].
    + destruct o_in as [equal|[]]. injection equal as <- _. exists (extended (fun _ => default)).
      cbn [outer_iterations]; cbv zeta. rewrite round, same_first, status. reflexivity.
    + destruct o_in as [equal|[]]. injection equal as <- _. exists (extended (fun _ => default)).
      cbn [outer_iterations]; cbv zeta. rewrite round, same_first, status. reflexivity.
Qed.

Variable theta_0 : Theta.

Theorem random_outcome_is_a_scripted_run o w : In (o, w) (random_run theta_0) ->
  exists script, o = run (scripted script) p theta_0.
Proof. apply random_iterations_scripted. Qed.

(** ** Expectations *)
Variable domain : Theta -> Prop.
Hypothesis member_sound : forall t k theta, member operations t k theta = true -> domain theta.
Hypothesis policy_law : forall theta q, domain theta -> law (support q) (policy theta q).
Hypothesis start_inside : domain theta_0.

Lemma round_is_probability theta : domain theta -> is_probability (round_draws theta).
Proof.
  intros inside. apply one_of_each_is_probability. intros d d_in. apply in_map_iff in d_in.
  destruct d_in as (q & <- & _).
  apply then_is_probability; [apply total_probability, policy_law, inside|]. intros; apply always_is_probability.
Qed.

Lemma inner_steps_return_inside n : forall t k frozen theta, domain theta ->
  domain (returned (inner_steps operations n t k frozen theta)).
Proof.
  induction n as [|n IH]; intros t k frozen theta inside; simpl; [exact inside|].
  destruct (gradient operations t k frozen theta) as [g|]; [|exact inside].
  destruct (member operations t k _) eqn:admitted; [|exact inside]. apply IH, (member_sound t k), admitted.
Qed.

Lemma random_iterations_are_probability n : forall t theta, domain theta ->
  is_probability (random_iterations n t theta).
Proof.
  induction n as [|n IH]; intros t theta inside; simpl; [apply always_is_probability|].
  apply then_is_probability; [apply round_is_probability, inside|]. intros drawn w _.
  destruct (ended _); [|apply always_is_probability..].
  apply then_is_probability; [apply IH, inner_steps_return_inside, inside|]. intros; apply always_is_probability.
Qed.

Theorem random_run_is_probability : is_probability (random_run theta_0).
Proof. apply random_iterations_are_probability, start_inside. Qed.

Theorem expected_draws :
  expectation (random_run theta_0) (fun o => INR (calls is_draw o))
  = INR (M * G) * expectation (random_run theta_0) (fun o => INR (calls is_start o)).
Proof.
  rewrite <- expectation_scal. apply expectation_ext; intros o w o_in.
  destruct (random_outcome_is_a_scripted_run o w o_in) as (script & ->).
  rewrite draws_per_started_iteration. apply mult_INR.
Qed.

Theorem expected_draws_at_most :
  expectation (random_run theta_0) (fun o => INR (calls is_draw o)) <= INR (T * M * G).
Proof.
  rewrite <- (expectation_const (INR (T * M * G)) _ random_run_is_probability).
  apply expectation_le; [apply random_run_is_probability|]. intros o w o_in.
  destruct (random_outcome_is_a_scripted_run o w o_in) as (script & ->). apply le_INR, draws_at_most.
Qed.
End RandomRun.

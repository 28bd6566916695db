(** * The finite-budget group-relative update, as a procedure

    The procedure of docs/specification.md section 1 as a total function of its supplied operations.  No real numbers
    occur: what holds of the protocol alone holds whatever the arithmetic, and this file can be extracted.

    Main definitions
    - [supply]: the supplied operations, each answering one call
    - [inner_steps], [outer_iterations], [run]: the procedure
    - [outcome]: returned parameter, status, trace; the ledger is read off the trace ([calls], [applied_parameters])

    A supplied operation is given the position of the call (outer iteration t, prompt, draw i, inner step k,
    all counted from 1).  No position is reached twice, so an operation with memory is covered: its answers
    on a run are such a table.  The theorems are in Budgets.v and Admissibility.v. *)
Require Import List.
Import ListNotations.

Inductive status := complete | undefined_gradient | invalid_update.

Section Procedure.
Context {Theta Gradient Prompt Response Reward Reference : Type}.

(** What the gradient is asked about: fixed for the inner steps of one outer iteration. *)
Record frozen_data := Frozen {
  old_parameter : Theta;
  reference : Reference;
  groups : list (Prompt * list (Response * Reward)) }.

Record supply := Supply {
  draw : nat -> Prompt -> nat -> Theta -> Response;           (* t, prompt, i, old parameter *)
  reward_of : Prompt -> Response -> Reward;
  gradient : nat -> nat -> frozen_data -> Theta -> option Gradient;  (* t, k; None is "undefined" *)
  propose : nat -> nat -> Theta -> Gradient -> Theta;     (* t, k: the step with step size eta[t][k] *)
  member : nat -> nat -> Theta -> bool }.                     (* t, k: the domain oracle *)

(** The budget and the fixed data of a run: T, M (as the list of prompts), G, K and the reference policy. *)
Record plan := Plan {
  outer_budget : nat;
  prompts : list Prompt;
  group_size : nat;
  inner_budget : nat;
  reference_policy : Reference }.

Inductive event :=
| started (t : nat) (old : Theta)
| drew (t : nat) (prompt : Prompt) (i : nat) (response : Response)
| rewarded (t : nat) (prompt : Prompt) (i : nat) (reward : Reward)
| asked_gradient (t k : nat) (frozen : frozen_data) (theta : Theta) (answer : option Gradient)
| asked_membership (t k : nat) (proposal : Theta) (answer : bool)
| applied (t k : nat) (theta : Theta).

Record outcome := Outcome { returned : Theta; ended : status; trace : list event }.

Definition after (earlier : list event) (o : outcome) : outcome :=
  Outcome (returned o) (ended o) (earlier ++ trace o).

Section Run.
Variable operations : supply.
Variable p : plan.

(** ** Drawing the groups of one outer iteration *)
Definition draw_group (t : nat) (theta : Theta) (prompt : Prompt) : list (Response * Reward) :=
  map (fun i => let y := draw operations t prompt i theta in (y, reward_of operations prompt y))
      (seq 1 (group_size p)).

Definition draw_groups (t : nat) (theta : Theta) : list (Prompt * list (Response * Reward)) :=
  map (fun prompt => (prompt, draw_group t theta prompt)) (prompts p).

(** Prompt by prompt: the draws of its group, then their rewards. *)
Definition draw_events (t : nat) (drawn : list (Prompt * list (Response * Reward))) : list event :=
  flat_map (fun '(prompt, group) => let numbered := combine (seq 1 (length group)) group in
    map (fun '(i, (y, _)) => drew t prompt i y) numbered ++ map (fun '(i, (_, r)) => rewarded t prompt i r) numbered)
    drawn.

(** ** n inner steps from step k on *)
Fixpoint inner_steps (n t k : nat) (frozen : frozen_data) (theta : Theta) : outcome :=
  match n with
  | 0 => Outcome theta complete []
  | S n' =>
    match gradient operations t k frozen theta with
    | None => Outcome theta undefined_gradient [asked_gradient t k frozen theta None]
    | Some g =>
      let proposal := propose operations t k theta g in
      let asked answer := [asked_gradient t k frozen theta (Some g); asked_membership t k proposal answer] in
      if member operations t k proposal
      then after (asked true ++ [applied t k proposal]) (inner_steps n' t (S k) frozen proposal)
      else Outcome theta invalid_update (asked false)
    end
  end.

(** ** n outer iterations from iteration t on, each with groups drawn by [drawing] *)
Definition outer_iteration (t : nat) (theta : Theta) (drawn : list (Prompt * list (Response * Reward))) :=
  after (started t theta :: draw_events t drawn)
        (inner_steps (inner_budget p) t 1 (Frozen theta (reference_policy p) drawn) theta).

Fixpoint outer_iterations (n t : nat) (theta : Theta) : outcome :=
  match n with
  | 0 => Outcome theta complete []
  | S n' =>
    let o := outer_iteration t theta (draw_groups t theta) in
    match ended o with
    | complete => after (trace o) (outer_iterations n' (S t) (returned o))
    | _ => o
    end
  end.

Definition run (theta_0 : Theta) : outcome := outer_iterations (outer_budget p) 1 theta_0.
End Run.

(** ** Reading a trace *)
Definition is_start (e : event) := match e with started _ _ => true | _ => false end.
Definition is_draw (e : event) := match e with drew _ _ _ _ => true | _ => false end.
Definition is_reward (e : event) := match e with rewarded _ _ _ _ => true | _ => false end.
Definition is_gradient_attempt (e : event) := match e with asked_gradient _ _ _ _ _ => true | _ => false end.
Definition is_answered_gradient (e : event) :=
  match e with asked_gradient _ _ _ _ (Some _) => true | _ => false end.
Definition is_membership_call (e : event) := match e with asked_membership _ _ _ _ => true | _ => false end.
Definition is_applied (e : event) := match e with applied _ _ _ => true | _ => false end.

Definition calls (kind : event -> bool) (o : outcome) : nat := length (filter kind (trace o)).

Definition applied_in : list event -> list Theta :=
  flat_map (fun e => match e with applied _ _ theta => [theta] | _ => [] end).

Definition applied_parameters (o : outcome) : list Theta := applied_in (trace o).

Lemma in_draw_events t drawn e : In e (draw_events t drawn) ->
  exists prompt i, (exists y, e = drew t prompt i y) \/ (exists r, e = rewarded t prompt i r).
Proof.
  unfold draw_events. intros e_in. apply in_flat_map in e_in. destruct e_in as ((prompt & group) & _ & e_in).
  apply in_app_or in e_in. destruct e_in as [e_in|e_in]; apply in_map_iff in e_in;
    destruct e_in as ((i & (y & r)) & <- & _); exists prompt, i; [left; exists y|right; exists r]; reflexivity.
Qed.
End Procedure.

Arguments frozen_data : clear implicits.
Arguments supply : clear implicits.
Arguments plan : clear implicits.
Arguments event : clear implicits.
Arguments outcome : clear implicits.

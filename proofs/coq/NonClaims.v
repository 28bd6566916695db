(** * What the procedure does not promise (non-claims N1, N3), by explicit witnesses

    Main results
    - [mean_centred_estimator_expectation] (N3): with advantages R_i - mean alone, the expected gradient over groups
      of G draws is (G - 1)/G times the true policy gradient, for every law, reward and differential of the masses
    - [mean_centred_estimator_biased] (N3): for one fair pair of responses and G = 2 that is 1/2 instead of 1
    - [standardised_estimator_biased] (N3): the procedure's own gradient at its first inner step, averaged over all
      groups of two, is 1 where the policy gradient is 2 (rewards 2 and 0)
    - [one_step_can_lower_the_objective] (N1): three prompts, T = K = 1, G = 2, beta = 0: one applied step takes F from
      0 to -2/15 *)
From Coquelicot Require Import Coquelicot.
Require Import Reals Lra Lia List.
From Grpo Require Import FiniteSums Procedure Admissibility Advantage ClippedTerm FiniteLaws Divergence Differentials
  Objective ObjectiveGradient Update TwoResponses Draws.
Import ListNotations.
Open Scope R_scope.

(** ** N3: mean centring *)
Section MeanCentred.
Context {Response : Type}.
Variable support : list Response.
Variable mass : Response -> R.
Hypothesis mass_law : law support mass.
Variable reward : Response -> R.
Variable mass_differential : Response -> R.      (* along one direction *)
Hypothesis total_mass_fixed : sum_over support mass_differential = 0.

Definition score (y : Response) : R := mass_differential y / mass y.
Definition policy_gradient : R := sum_over support (fun y => mass_differential y * reward y).
Definition mean_centred_estimator (ys : list Response) : R :=
  average ys (fun y => (reward y - mean ys reward) * score y).

Notation E f := (expectation (sampled support mass) f).
Notation group G := (group_draws support mass G).

Lemma expected_score : E score = 0.
Proof.
  rewrite expectation_sampled, <- total_mass_fixed. apply sum_over_ext; intros y y_in.
  pose proof (mass_positive support mass y mass_law y_in). unfold score. field. lra.
Qed.

Lemma expected_reward_score : E (fun y => reward y * score y) = policy_gradient.
Proof.
  rewrite expectation_sampled. apply sum_over_ext; intros y y_in.
  pose proof (mass_positive support mass y mass_law y_in). unfold score. field. lra.
Qed.

Lemma expectation_group_O (f : list Response -> R) : expectation (group 0) f = f [].
Proof. apply expectation_always. Qed.

Lemma expectation_group_S G (f : list Response -> R) :
  expectation (group (S G)) f = E (fun y => expectation (group G) (fun ys => f (y :: ys))).
Proof.
  unfold group_draws. simpl. rewrite expectation_of_then. apply expectation_ext; intros y w _.
  rewrite expectation_of_then. apply expectation_ext; intros ys v _. apply expectation_always.
Qed.

Lemma E_const c : E (fun _ => c) = c.
Proof. apply expectation_const, sampled_is_probability, mass_law. Qed.

Lemma group_const G c : expectation (group G) (fun _ => c) = c.
Proof. apply expectation_const, total_probability, mass_law. Qed.

Lemma expected_sum G f : expectation (group G) (fun ys => sum_over ys f) = INR G * E f.
Proof.
  induction G as [|G IH]; [rewrite expectation_group_O, !sum_over_nil; simpl; ring|].
  rewrite expectation_group_S. rewrite (expectation_ext _ _ (fun y => f y + INR G * E f)).
  - rewrite expectation_plus, E_const, S_INR. ring.
  - intros y w _. rewrite <- IH, <- (group_const G (f y)), <- expectation_plus. reflexivity.
Qed.

Lemma expected_product_of_sums G f g : E g = 0 ->
  expectation (group G) (fun ys => sum_over ys f * sum_over ys g) = INR G * E (fun y => f y * g y).
Proof.
  intros centred.
  induction G as [|G IH]; [rewrite expectation_group_O, !sum_over_nil; simpl; ring|].
  rewrite expectation_group_S.
  rewrite (expectation_ext _ _ (fun y => f y * g y + (INR G * E f) * g y + INR G * E (fun y => f y * g y))).
  - rewrite !expectation_plus, expectation_scal, centred, E_const, S_INR. ring.
  - intros y w _. rewrite <- IH, <- (expected_sum G f).
    rewrite (expectation_ext _ _ (fun ys => f y * g y + f y * sum_over ys g + g y * sum_over ys f
      + sum_over ys f * sum_over ys g)) by (intros; rewrite !sum_over_cons; ring).
    rewrite !expectation_plus, !expectation_scal, group_const, (expected_sum G g), centred. ring.
Qed.

Theorem mean_centred_estimator_expectation G : (0 < G)%nat ->
  expectation (group G) mean_centred_estimator = (INR G - 1) / INR G * policy_gradient.
Proof.
  intros some. assert (positive : 0 < INR G) by (apply lt_0_INR; exact some).
  rewrite (expectation_ext _ _ (fun ys => / INR G * sum_over ys (fun y => reward y * score y)
    + - / (INR G * INR G) * (sum_over ys reward * sum_over ys score))).
  - rewrite expectation_plus, !expectation_scal, expected_sum, expected_product_of_sums by exact expected_score.
    rewrite expected_reward_score. field. lra.
  - intros ys w ys_in. apply in_one_of_each in ys_in.
    assert (length ys = G) as size
      by (rewrite <- (repeat_length (sampled support mass) G); clear -ys_in; induction ys_in; simpl; congruence).
    unfold mean_centred_estimator, average, mean, Advantage.size. rewrite size.
    rewrite (sum_over_ext ys _ (fun y => reward y * score y - sum_over ys reward / INR G * score y)) by (intros; ring).
    rewrite sum_over_minus, sum_over_scal. field. lra.
Qed.
End MeanCentred.

Notation fair := (fun _ : bool => 1/2).
Notation sign := (fun b : bool => if b then 1 else -1).

Lemma fair_law : law [true; false] fair.
Proof. split; [intros; lra|unfold sum_over; simpl; lra]. Qed.

Theorem mean_centred_estimator_biased :
  let reward := fun b : bool => if b then 1 else 0 in
  expectation (group_draws [true; false] fair 2) (mean_centred_estimator fair reward sign) = 1/2 /\
  policy_gradient [true; false] reward sign = 1.
Proof.
  intros reward. assert (policy_gradient [true; false] reward sign = 1) as gradient
    by (unfold policy_gradient, sum_over, reward; simpl; ring).
  split; [|exact gradient]. rewrite mean_centred_estimator_expectation; [| |unfold sum_over; simpl; ring|lia].
  - rewrite gradient. simpl. field.
  - apply fair_law.
Qed.

(** ** N3: the procedure's own gradient *)
Section Standardised.
Definition rewards_2_0 (b : bool) : R := if b then 2 else 0.
Definition frozen_pair (ys : list bool) : frozen_groups R_NormedModule unit bool :=
  Frozen (1/2 : R_NormedModule) (even_reference unit) [(tt, map (fun b => (b, rewards_2_0 b)) ys)].
Notation P := (two_response_problem (Prompt := unit) 0).

(** The derivative of F at the old parameter 1/2, for the group drawn. *)
Definition first_gradient (ys : list bool) : R :=
  objective_differential P (frozen_pair ys) (1/2 : R_NormedModule) mass_differential 1.

Definition true_objective (theta : R) : R := theta * 2 + (1 - theta) * 0.

Lemma frozen_pair_well_drawn y z : well_drawn P 2 (frozen_pair [y; z]).
Proof.
  constructor; simpl; try lra; try lia; try discriminate.
  - intros q g [equal|[]]. injection equal as _ <-. reflexivity.
  - intros q g d [_ _]. destruct (fst d); auto.
  - intros q. apply fair_law.
Qed.

Lemma first_gradient_eq y z : let g := map (fun b => (b, rewards_2_0 b)) [y; z] in
  first_gradient [y; z] = group_advantage g (y, rewards_2_0 y) * sign y + group_advantage g (z, rewards_2_0 z) * sign z.
Proof.
  intros g. unfold first_gradient, objective_differential, average. cbn [frozen_pair groups]. fold g.
  rewrite sum_over_cons, sum_over_nil.
  rewrite (sum_over_ext g _ (fun d => group_advantage g d * (2 * sign (fst d)))).
  - unfold sum_over, g; simpl. field.
  - intros d d_in.
    rewrite (term_differential_at_old P (two_response_problem_lawful 0 (Rle_refl 0)) 2 (frozen_pair [y; z])
      (frozen_pair_well_drawn y z) (1/2 : R_NormedModule)); [|reflexivity|split; simpl; auto].
    unfold ratio_differential, mass_differential; simpl. destruct (fst d); field.
Qed.

Lemma first_gradient_of_equal y : first_gradient [y; y] = 0.
Proof.
  rewrite first_gradient_eq. cbv zeta. unfold group_advantage. rewrite !advantage_zero_without_deviation; [ring|].
  apply deviation_zero_iff_rewards_equal; [discriminate|]. intros i j [<-|[<-|[]]] [<-|[<-|[]]]; reflexivity.
Qed.

Lemma first_gradient_of_different y : first_gradient [y; negb y] = 2.
Proof.
  rewrite first_gradient_eq. cbv zeta. unfold group_advantage.
  destruct (advantages_of_two (true, 2) (false, 0) snd (map (fun b => (b, rewards_2_0 b)) [y; negb y]))
    as [better worse].
  - destruct y; simpl; auto.
  - simpl; lra.
  - destruct y; simpl in *; unfold rewards_2_0; rewrite better, worse; ring.
Qed.

Theorem standardised_estimator_biased :
  expectation (group_draws [true; false] fair 2) first_gradient = 1 /\ is_derive true_objective (1/2) 2.
Proof.
  split; [|unfold true_objective; auto_derive; [auto|ring]].
  unfold group_draws, and_then, expectation, sampled, always, sum_over; simpl.
  rewrite !first_gradient_of_equal, (first_gradient_of_different true : first_gradient [true; false] = 2),
    (first_gradient_of_different false : first_gradient [false; true] = 2). field.
Qed.
End Standardised.

(** ** N1: a step that lowers the objective *)
Section Falls.
(** Two prompts reward [true], the third rewards [false]; all share theta. *)
Inductive prompt := first_prompt | second_prompt | opposed_prompt.

Definition opposed_rewards (q : prompt) (b : bool) : R :=
  match q with opposed_prompt => if b then 0 else 1 | _ => if b then 1 else 0 end.

Definition three_prompts_plan : plan prompt (prompt -> bool -> R) :=
  Plan 1 [first_prompt; second_prompt; opposed_prompt] 2 1 (even_reference prompt).

Notation P := (two_response_problem (Prompt := prompt) 0).
Notation operations := (two_response_supply 0 (3/5) opposed_rewards (true_then_false prompt)).
Notation agreeing := [(true, 1); (false, 0)].
Notation opposing := [(true, 0); (false, 1)].

Definition three_groups : frozen_groups R_NormedModule prompt bool :=
  Frozen (1/2 : R_NormedModule) (even_reference prompt)
    [(first_prompt, agreeing); (second_prompt, agreeing); (opposed_prompt, opposing)].

Lemma opposed_advantages :
  group_advantage agreeing (true, 1) = 1 /\ group_advantage agreeing (false, 0) = -1 /\
  group_advantage opposing (true, 0) = -1 /\ group_advantage opposing (false, 1) = 1.
Proof.
  destruct (advantages_of_two (true, 1) (false, 0) snd agreeing) as [? ?]; [auto|simpl; lra|].
  destruct (advantages_of_two (false, 1) (true, 0) snd opposing) as [? ?]; [auto|simpl; lra|].
  unfold group_advantage. auto.
Qed.

Lemma three_groups_well_drawn : well_drawn P 2 three_groups.
Proof.
  constructor; simpl; try lra; try lia; try discriminate.
  - intros q g [equal|[equal|[equal|[]]]]; injection equal as _ <-; reflexivity.
  - intros q g d _. destruct (fst d); auto.
  - intros q. apply fair_law.
Qed.

Lemma three_groups_gradient : two_response_gradient 0 three_groups (1/2) = Some (2/3).
Proof.
  destruct opposed_advantages as (a1 & a2 & o1 & o2). unfold two_response_gradient.
  pose proof (some_on_bound_iff 0 three_groups (1/2)) as [on_bound _].
  destruct (some_on_bound _ _ _).
  { destruct (on_bound eq_refl) as (q & g & d & d_in & nonzero & tie). exfalso.
    rewrite (sequence_ratio_at_old P (two_response_problem_lawful 0 (Rle_refl 0)) 2 three_groups three_groups_well_drawn
      q g d d_in : sequence_ratio P three_groups (1/2 : R_NormedModule) q (fst d) = 1) in tie.
    unfold active_bound in tie. simpl in tie. destruct (Rlt_dec _ _); lra. }
  f_equal. unfold objective_differential.
  assert (at_old : forall q g d, occurs three_groups q g d ->
    term_differential P three_groups (1/2 : R_NormedModule) mass_differential q g d 1
    = group_advantage g d * (2 * sign (fst d))).
  { intros q g d d_in.
    rewrite (term_differential_at_old P (two_response_problem_lawful 0 (Rle_refl 0)) 2 three_groups
      three_groups_well_drawn (1/2 : R_NormedModule) mass_differential q g d 1 eq_refl d_in). f_equal.
    unfold ratio_differential, mass_differential; simpl. destruct (fst d); field. }
  unfold average. cbn [three_groups groups]. rewrite !sum_over_cons, !sum_over_nil. simpl penalty_weight.
  rewrite !at_old by (split; simpl; auto). rewrite a1, a2, o1, o2. simpl. field.
Qed.

Lemma three_groups_objective theta : 3/5 <= theta < 1 ->
  objective P three_groups (theta : R_NormedModule) = (7/5 - 2 * theta) / 3.
Proof.
  intros range. destruct opposed_advantages as (a1 & a2 & o1 & o2).
  unfold objective, surrogate, average. cbn [three_groups groups]. rewrite !sum_over_cons, !sum_over_nil.
  rewrite a1, a2, o1, o2. unfold sequence_ratio. simpl.
  replace (theta / (1/2)) with (2 * theta) by field. replace ((1 - theta) / (1 - 1/2)) with (2 - 2 * theta) by field.
  assert (up : forall rho, term (1/5) 1 rho = Rmin rho (1 + 1/5) * 1)
    by (intros; apply term_of_positive_advantage; lra).
  assert (down : forall rho, term (1/5) (-1) rho = Rmax rho (1 - 1/5) * -1)
    by (intros; apply term_of_negative_advantage; lra).
  rewrite !up, !down.
  unfold Rmin, Rmax. repeat destruct (Rle_dec _ _); lra.
Qed.

Lemma three_groups_objective_at_start : objective P three_groups (1/2 : R_NormedModule) = 0.
Proof.
  transitivity (- 0 * average (groups three_groups) (fun qg => penalty P three_groups (1/2 : R_NormedModule) (fst qg)));
    [|ring].
  apply (objective_at_old P (two_response_problem_lawful 0 (Rle_refl 0)) 2 three_groups three_groups_well_drawn).
Qed.

Lemma falling_inner_step : inner_steps operations 1 1 1 three_groups (1/2 : R_NormedModule) =
  Outcome (9/10) complete
    [asked_gradient 1 1 three_groups (1/2) (Some (2/3)); asked_membership 1 1 (9/10) true; applied 1 1 (9/10)].
Proof.
  assert (answer : gradient operations 1 1 three_groups (1/2 : R_NormedModule) = Some (2/3))
    by exact three_groups_gradient.
  assert (step : propose operations 1 1 (1/2 : R_NormedModule) (2/3) = (9/10 : R)) by (simpl; field).
  assert (inside : member operations 1 1 (9/10 : R_NormedModule) = true)
    by (simpl; destruct (Rlt_dec 0 (9/10)), (Rlt_dec (9/10) 1); (reflexivity || lra)).
  cbn [inner_steps]. rewrite answer. cbv zeta. rewrite step, inside. reflexivity.
Qed.

Theorem one_step_can_lower_the_objective :
  let o := run operations three_prompts_plan (1/2 : R_NormedModule) in
  exact_supply P three_prompts_plan operations /\
  ended o = complete /\ applied_parameters o = [9/10] /\
  In (asked_gradient 1 1 three_groups (1/2) (Some (2/3))) (trace o) /\
  objective P three_groups (1/2 : R_NormedModule) = 0 /\
  objective P three_groups (9/10 : R_NormedModule) = - (2/15).
Proof.
  intros o. assert (o = after (started 1 (1/2 : R_NormedModule) :: draw_events 1 (groups three_groups))
    (Outcome (9/10) complete
      [asked_gradient 1 1 three_groups (1/2) (Some (2/3)); asked_membership 1 1 (9/10) true; applied 1 1 (9/10)]))
    as equal.
  { unfold o, run. cbn [outer_iterations outer_budget three_prompts_plan]. unfold outer_iteration.
    change (inner_steps _ _ _ _ _ _) with (inner_steps operations 1 1 1 three_groups (1/2 : R_NormedModule)).
    rewrite falling_inner_step. reflexivity. }
  rewrite equal. refine (conj _ (conj eq_refl (conj eq_refl (conj _ (conj three_groups_objective_at_start _))))).
  - apply two_response_supply_exact. lra.
  - simpl. auto 20.
  - rewrite three_groups_objective by lra. field.
Qed.
End Falls.

(** * Where the objective is differentiable, and its gradient (claim F2)

    At a parameter theta of the domain, [mass_differential q b] is the differential of the policy mass of b.  The
    masses have to be differentiable on the whole support (the divergence needs them all), not only at drawn responses.

    Main results
    - [objective_differentiable_iff] (F2): F is differentiable at theta exactly when no drawn response with A <> 0
      has its ratio on the active bound and a nonzero differential of the ratio
    - [objective_gradient] (F2): the differential is then the mean over prompts of
      (mean over drawn responses with rho A < b A of A d rho) - beta sum_j d pi_j ln(pi_j / ref_j)
    - [objective_directional_derivative]: the derivative along any direction, hence every partial derivative
    - [objective_differentiable_at_old]: always, because every ratio is 1 there *)
Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Grpo Require Import FiniteSums Procedure Advantage ClippedTerm FiniteLaws Divergence Differentials SumOfMinima
  Objective.
Import ListNotations.
Open Scope R_scope.

Section Gradient.
Context {V : NormedModule R_AbsRing} {Prompt Response : Type}.
Variable P : problem V Prompt Response.
Hypothesis P_lawful : lawful P.
Variable G : nat.
Variable frozen : frozen_groups V Prompt Response.
Hypothesis drawn : well_drawn P G frozen.
Notation epsilon := (clip_threshold P).
Notation beta := (penalty_weight P).
Notation old := (old_parameter frozen).
Notation rho := (sequence_ratio P frozen).

Variable theta : V.
Hypothesis inside : domain P theta.
Variable mass_differential : Prompt -> Response -> V -> R.
Hypothesis masses_differentiable : forall q b, In b (support P q) ->
  differential_at (fun y => policy P y q b) theta (mass_differential q b).

Definition ratio_differential (q : Prompt) (y : Response) (v : V) : R := / policy P old q y * mass_differential q y v.

Definition penalty_differential (q : Prompt) (v : V) : R :=
  sum_over (support P q) (fun b => mass_differential q b v * ln (policy P theta q b / reference frozen q b)).

Definition term_differential q g d v : R :=
  let A := group_advantage g d in
  if Rlt_dec (rho theta q (fst d) * A) (active_bound epsilon A * A) then A * ratio_differential q (fst d) v else 0.

Definition objective_differential (v : V) : R :=
  average (groups frozen) (fun '(q, g) =>
    average g (fun d => term_differential q g d v) - beta * penalty_differential q v).

(** On the active bound of its advantage: where the term has a kink as a function of the ratio. *)
Definition on_active_bound (q : Prompt) (g : list (Response * R)) (d : Response * R) : Prop :=
  group_advantage g d <> 0 /\ rho theta q (fst d) = active_bound epsilon (group_advantage g d).

(** ** The pieces *)
Lemma ratio_differential_at q g d : occurs frozen q g d ->
  differential_at (fun y => rho y q (fst d)) theta (ratio_differential q (fst d)).
Proof.
  intros d_in. apply (differential_ext (fun y => / policy P old q (fst d) * policy P y q (fst d))).
  - intros y; unfold sequence_ratio, Rdiv; ring.
  - apply differential_scal, masses_differentiable, (drawn_in_support _ _ _ drawn q g d d_in).
Qed.

(** With the term that the product rule leaves: it sums to the differential of the total mass. *)
Lemma penalty_differential_unreduced q : differential_at (fun y => penalty P frozen y q) theta
  (fun v => penalty_differential q v + sum_over (support P q) (fun b => mass_differential q b v)).
Proof.
  eapply differential_ext_map; [intros v; apply sum_over_plus|].
  apply (differential_sum (support P q) (fun b y => policy P y q b * ln (policy P y q b / reference frozen q b))
    (fun b v => mass_differential q b v * ln (policy P theta q b / reference frozen q b) + mass_differential q b v)).
  intros b b_in.
  pose proof (mass_positive _ _ b (policy_law P P_lawful theta q inside) b_in) as p_pos.
  pose proof (mass_positive _ _ b (reference_law _ _ _ drawn q) b_in) as r_pos.
  assert (differential_at (fun y => ln (/ reference frozen q b * policy P y q b)) theta
    (fun v => / reference frozen q b * mass_differential q b v * / (/ reference frozen q b * policy P theta q b)))
    as log.
  { apply (differential_comp ln (fun y => / reference frozen q b * policy P y q b)).
    - apply differential_scal; auto.
    - apply is_derive_Reals, derivable_pt_lim_ln, Rmult_lt_0_compat; [apply Rinv_0_lt_compat|]; assumption. }
  apply (differential_ext (fun y => policy P y q b * ln (/ reference frozen q b * policy P y q b))).
  - intros y. unfold Rdiv. rewrite (Rmult_comm (/ reference frozen q b)). reflexivity.
  - eapply differential_ext_map; [|apply (differential_mult _ _ _ _ _ (masses_differentiable q b b_in) log)].
    intros v; simpl. unfold Rdiv. rewrite (Rmult_comm (/ reference frozen q b) (policy P theta q b)). field. lra.
Qed.

Definition penalties (y : V) : R := average (groups frozen) (fun qg => beta * penalty P frozen y (fst qg)).

Lemma differential_average {I : Type} (l : list I) f df :
  (forall i, In i l -> differential_at (V := V) (f i) theta (df i)) ->
  differential_at (fun y => average l (fun i => f i y)) theta (fun v => average l (fun i => df i v)).
Proof. intros diff. apply differential_scal, differential_sum, diff. Qed.

Lemma penalties_differentiable : differentiable penalties theta.
Proof.
  eexists. apply (differential_average _ (fun qg y => beta * penalty P frozen y (fst qg))).
  intros qg _. apply differential_scal, penalty_differential_unreduced.
Qed.

(** The surrogates as one sum of minima over all occurrences, with their weights inside. *)
Notation occurrence := ((Prompt * list (Response * R)) * (Response * R))%type.
Definition occurrences : list occurrence := dependent_pairs (groups frozen) snd.
Definition weight (i : occurrence) : R := / INR (length (groups frozen)) * / INR (length (snd (fst i))).
Definition occurrence_advantage (i : occurrence) : R := group_advantage (snd (fst i)) (snd i).
Definition unclipped (i : occurrence) (y : V) : R :=
  weight i * (occurrence_advantage i * rho y (fst (fst i)) (fst (snd i))).
Definition clipped (i : occurrence) (_ : V) : R :=
  weight i * (occurrence_advantage i * active_bound epsilon (occurrence_advantage i)).
Definition unclipped_differential (i : occurrence) (v : V) : R :=
  weight i * (occurrence_advantage i * ratio_differential (fst (fst i)) (fst (snd i)) v).

Lemma weight_positive i : In i occurrences -> 0 < weight i.
Proof.
  destruct i as [[q g] d]. intros i_in. apply in_dependent_pairs in i_in. destruct i_in as [g_in d_in].
  apply Rmult_lt_0_compat; apply Rinv_0_lt_compat, length_pos.
  - intros none. rewrite none in g_in. exact g_in.
  - simpl in *. intros none. rewrite none in d_in. exact d_in.
Qed.

Lemma weighted_order w A r b : 0 < w ->
  (r * A <= b * A -> w * (A * r) <= w * (A * b)) /\ (w * (A * r) <= w * (A * b) -> r * A <= b * A).
Proof.
  intros positive. split; intros le; [apply Rmult_le_compat_l; lra|].
  apply Rmult_le_reg_l in le; lra.
Qed.

Lemma average_of_averages (f : occurrence -> R) :
  average (groups frozen) (fun qg => average (snd qg) (fun d => f (qg, d)))
  = sum_over occurrences (fun i => weight i * f i).
Proof.
  unfold average, occurrences. rewrite sum_over_dependent_pairs, <- sum_over_scal. apply sum_over_ext; intros qg _.
  rewrite <- !sum_over_scal. apply sum_over_ext; intros d _. unfold weight; simpl. ring.
Qed.

Lemma average_minus {I : Type} (l : list I) f g : average l (fun i => f i - g i) = average l f - average l g.
Proof. unfold average. rewrite sum_over_minus. ring. Qed.

Lemma average_ext {I : Type} (l : list I) f g : (forall i, In i l -> f i = g i) -> average l f = average l g.
Proof. intros equal. unfold average. f_equal. apply sum_over_ext, equal. Qed.

Lemma objective_is_sum_of_minima y :
  objective P frozen y = sum_of_minima occurrences unclipped clipped y - penalties y.
Proof.
  unfold penalties, sum_of_minima. pose proof (threshold_range P P_lawful).
  rewrite (sum_over_ext _ _ (fun i =>
    weight i * term epsilon (occurrence_advantage i) (rho y (fst (fst i)) (fst (snd i))))).
  - rewrite <- average_of_averages, <- average_minus. apply average_ext. intros [q g] _. reflexivity.
  - intros i i_in. pose proof (weight_positive i i_in). unfold unclipped, clipped.
    rewrite term_is_minimum by lra. rewrite !(Rmult_comm (weight i)), min_of_nonneg_multiples by lra.
    f_equal. f_equal; ring.
Qed.

Lemma unclipped_differential_at i : In i occurrences -> differential_at (unclipped i) theta (unclipped_differential i).
Proof.
  destruct i as [[q g] d]. intros i_in. apply in_dependent_pairs in i_in.
  apply differential_scal, differential_scal, (ratio_differential_at q g d). exact i_in.
Qed.

Lemma clipped_differential_at i : In i occurrences -> differential_at (clipped i) theta (fun _ => 0).
Proof. intros _. apply differential_const. Qed.

Lemma differentiable_iff_surrogates_are :
  differentiable (objective P frozen) theta <-> differentiable (sum_of_minima occurrences unclipped clipped) theta.
Proof.
  rewrite <- (differentiable_minus_iff (sum_of_minima occurrences unclipped clipped) penalties theta
    penalties_differentiable).
  split; intros [l diff]; exists l; (eapply differential_ext; [|exact diff]); intros y;
    rewrite objective_is_sum_of_minima; reflexivity.
Qed.

(** ** The claim *)
Theorem objective_differentiable_iff :
  differentiable (objective P frozen) theta <->
  (forall q g d, occurs frozen q g d -> on_active_bound q g d -> forall v, ratio_differential q (fst d) v = 0).
Proof.
  rewrite differentiable_iff_surrogates_are.
  rewrite (sum_of_minima_differentiable_iff occurrences unclipped clipped unclipped_differential (fun _ _ => 0) theta
    unclipped_differential_at clipped_differential_at).
  split.
  - intros ties q g d [g_in d_in] [nonzero tie] v. set (i := ((q, g), d) : occurrence).
    assert (i_in : In i occurrences) by (apply in_dependent_pairs; split; assumption).
    pose proof (weight_positive i i_in) as positive.
    assert (flat : unclipped_differential i v = 0).
    { apply ties; [exact i_in|]. unfold unclipped, clipped, occurrence_advantage; simpl. rewrite tie. reflexivity. }
    apply Rmult_integral in flat. destruct flat as [|flat]; [lra|].
    apply Rmult_integral in flat. destruct flat as [|flat]; [contradiction|exact flat].
  - intros flat [[q g] d] i_in tie v. pose proof (weight_positive _ i_in) as positive.
    unfold unclipped_differential, unclipped, clipped, occurrence_advantage in *; simpl in *.
    destruct (Req_dec (group_advantage g d) 0) as [zero|nonzero]; [rewrite zero; ring|].
    rewrite (flat q g d); [ring| |]; [apply in_dependent_pairs in i_in; exact i_in|]. split; [exact nonzero|].
    apply Rmult_eq_reg_l in tie; [|lra]. apply Rmult_eq_reg_l in tie; assumption.
Qed.

Theorem objective_differentiable_at_old : theta = old -> differentiable (objective P frozen) theta.
Proof.
  intros at_old. apply objective_differentiable_iff. intros q g d d_in [_ tie].
  rewrite at_old, (sequence_ratio_at_old P P_lawful G frozen drawn q g d d_in) in tie.
  pose proof (threshold_range P P_lawful). unfold active_bound in tie. destruct (Rlt_dec _ _); lra.
Qed.

(** At the old parameter no response is clipped: the first inner step follows the standardised advantages. *)
Theorem term_differential_at_old q g d v : theta = old -> occurs frozen q g d ->
  term_differential q g d v = group_advantage g d * ratio_differential q (fst d) v.
Proof.
  intros at_old d_in. unfold term_differential.
  rewrite at_old, (sequence_ratio_at_old P P_lawful G frozen drawn q g d d_in).
  pose proof (threshold_range P P_lawful). destruct (Req_dec (group_advantage g d) 0) as [zero|nonzero].
  - rewrite zero. destruct (Rlt_dec _ _); ring.
  - destruct (Rlt_dec _ _) as [|clipped_at_1]; [reflexivity|]. exfalso. apply clipped_at_1. unfold active_bound.
    destruct (Rlt_dec 0 (group_advantage g d)); nra.
Qed.

Hypothesis domain_open : open (domain P).

Lemma mass_differentials_sum_to_zero q v : sum_over (support P q) (fun b => mass_differential q b v) = 0.
Proof.
  apply (differential_zero_if_constant_on_open (domain P) (fun y => sum_over (support P q) (policy P y q)) 1 theta
    (fun v => sum_over (support P q) (fun b => mass_differential q b v)) domain_open inside).
  - intros y y_in. apply (policy_law P P_lawful y q y_in).
  - apply (differential_sum (support P q) (fun b y => policy P y q b)). apply masses_differentiable.
Qed.

Theorem objective_gradient :
  (forall q g d, occurs frozen q g d -> on_active_bound q g d -> forall v, ratio_differential q (fst d) v = 0) ->
  differential_at (objective P frozen) theta objective_differential.
Proof.
  intros flat.
  apply (differential_ext (fun y => sum_of_minima occurrences unclipped clipped y - penalties y));
    [intros; symmetry; apply objective_is_sum_of_minima|].
  eapply differential_ext_map; [|apply differential_minus].
  2: { apply (sum_of_minima_differential occurrences unclipped clipped unclipped_differential (fun _ _ => 0) theta
         unclipped_differential_at clipped_differential_at).
       intros i i_in tie v. apply (ties_agree_if_differentiable occurrences unclipped clipped unclipped_differential
         (fun _ _ => 0) theta unclipped_differential_at clipped_differential_at); try assumption.
       apply differentiable_iff_surrogates_are, objective_differentiable_iff, flat. }
  2: { apply (differential_average _ (fun qg y => beta * penalty P frozen y (fst qg))).
       intros qg _. apply differential_scal, penalty_differential_unreduced. }
  intros v. simpl. unfold objective_differential.
  transitivity (average (groups frozen) (fun qg =>
    average (snd qg) (fun d => term_differential (fst qg) (snd qg) d v) - beta * penalty_differential (fst qg) v));
    [|apply average_ext; intros [q g] _; reflexivity].
  rewrite average_minus. f_equal.
  - etransitivity; [|symmetry; exact (average_of_averages
      (fun i => term_differential (fst (fst i)) (snd (fst i)) (snd i) v))].
    apply sum_over_ext; intros i i_in. pose proof (weight_positive i i_in) as positive.
    unfold selected_differential, unclipped, clipped, unclipped_differential, term_differential. cbv zeta.
    destruct i as [[q g] d]. unfold occurrence_advantage. cbn [fst snd] in *.
    pose proof (weighted_order _ (group_advantage g d) (rho theta q (fst d))
      (active_bound epsilon (group_advantage g d)) positive) as [scale unscale].
    destruct (Rlt_dec _ _) as [less|not_less], (Rle_dec _ _) as [le|gt]; try ring.
    + exfalso. apply gt, scale. lra.
    + destruct (Req_dec (group_advantage g d) 0) as [zero|nonzero]; [rewrite zero; ring|].
      rewrite (flat q g d); [ring| |]; [apply in_dependent_pairs in i_in; exact i_in|]. split; [exact nonzero|].
      apply Rmult_eq_reg_r with (group_advantage g d); [|exact nonzero]. specialize (unscale le). lra.
  - apply average_ext; intros [q g] _. simpl. rewrite mass_differentials_sum_to_zero. ring.
Qed.

Theorem objective_directional_derivative v :
  (forall q g d, occurs frozen q g d -> on_active_bound q g d -> forall v, ratio_differential q (fst d) v = 0) ->
  is_derive (fun h : R => objective P frozen (plus theta (scal h v))) 0 (objective_differential v).
Proof. intros flat. apply derivative_along_line, objective_gradient, flat. Qed.
End Gradient.

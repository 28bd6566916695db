(** * Group-relative advantages (claims B1, B2)

    A group is the list of drawn occurrences of one prompt, of any type; [reward] gives the reward of each.
    The deviation is the population standard deviation, with nothing added to it.

    Main results, for a nonempty group
    - [deviation_nonneg], [deviation_zero_iff_rewards_equal] (B1)
    - [advantages_sum_to_zero], [advantages_have_unit_mean_square], [advantage_abs_le] (B2)
    - [advantage_zero_without_deviation] (B2); [advantage_bound_attained]: the bound sqrt(G - 1) is reached
    - [advantages_of_two]: with G = 2 they are 1 and -1 whatever the rewards *)
Require Import Reals Lra List Psatz.
From Grpo Require Import FiniteSums.
Import ListNotations.
Open Scope R_scope.

Section Advantage.
Context {Occurrence : Type}.
Variable group : list Occurrence.
Variable reward : Occurrence -> R.

Definition size : R := INR (length group).
Definition mean : R := sum_over group reward / size.
Definition variance : R := sum_over group (fun i => (reward i - mean)^2) / size.
Definition deviation : R := sqrt variance.
Definition advantage (i : Occurrence) : R :=
  if Req_EM_T deviation 0 then 0 else (reward i - mean) / deviation.

Hypothesis nonempty : group <> [].

Lemma size_ge_1 : 1 <= size.
Proof.
  unfold size. destruct group as [|first rest]; [congruence|].
  change (length (first :: rest)) with (S (length rest)). rewrite S_INR. pose proof (pos_INR (length rest)). lra.
Qed.

Lemma variance_nonneg : 0 <= variance.
Proof.
  pose proof size_ge_1. apply Rmult_le_pos; [apply sum_over_nonneg; intros; apply pow2_ge_0|].
  left; apply Rinv_0_lt_compat; lra.
Qed.

Theorem deviation_nonneg : 0 <= deviation.
Proof. apply sqrt_pos. Qed.

Lemma deviation_squared : deviation^2 = variance.
Proof. apply pow2_sqrt, variance_nonneg. Qed.

Lemma sum_of_squares : sum_over group (fun i => (reward i - mean)^2) = size * deviation^2.
Proof. pose proof size_ge_1. rewrite deviation_squared. unfold variance. field. lra. Qed.

Lemma centred_rewards_sum_to_zero : sum_over group (fun i => reward i - mean) = 0.
Proof. pose proof size_ge_1. rewrite sum_over_minus, sum_over_const. fold size. unfold mean. field. lra. Qed.

Theorem deviation_zero_iff_rewards_equal :
  deviation = 0 <-> (forall i j, In i group -> In j group -> reward i = reward j).
Proof.
  pose proof size_ge_1. pose proof sum_of_squares as squares. split.
  - intros zero. rewrite zero in squares. replace (size * 0^2) with 0 in squares by ring.
    rewrite sum_over_zero_iff in squares by (intros; apply pow2_ge_0).
    assert (at_mean : forall i, In i group -> reward i = mean)
      by (intros i i_in; specialize (squares i i_in); simpl in squares; nra).
    intros i j i_in j_in. rewrite (at_mean i i_in), (at_mean j j_in). reflexivity.
  - intros equal.
    assert (at_mean : forall i, In i group -> reward i - mean = 0).
    { intros i i_in. unfold mean. rewrite (sum_over_ext group reward (fun _ => reward i)) by auto.
      rewrite sum_over_const. fold size. field. lra. }
    rewrite sum_over_zero in squares by (intros i i_in; rewrite (at_mean i i_in); ring). nra.
Qed.

Theorem advantage_zero_without_deviation i : deviation = 0 -> advantage i = 0.
Proof. intros zero; unfold advantage. destruct (Req_EM_T deviation 0); [reflexivity|contradiction]. Qed.

Theorem advantages_sum_to_zero : sum_over group advantage = 0.
Proof.
  unfold advantage. destruct (Req_EM_T deviation 0); [apply sum_over_zero; reflexivity|].
  unfold Rdiv. rewrite sum_over_scal_r, centred_rewards_sum_to_zero. ring.
Qed.

Theorem advantages_have_unit_mean_square :
  0 < deviation -> sum_over group (fun i => (advantage i)^2) / size = 1.
Proof.
  intros positive. pose proof size_ge_1. unfold advantage. destruct (Req_EM_T deviation 0); [lra|].
  rewrite (sum_over_ext _ _ (fun i => (reward i - mean)^2 * / deviation^2)) by (intros; field; lra).
  rewrite sum_over_scal_r, sum_of_squares. field. split; nra.
Qed.

Lemma advantages_square_sum_le : sum_over group (fun i => (advantage i)^2) <= size.
Proof.
  pose proof size_ge_1. destruct (Req_EM_T deviation 0) as [zero|nonzero].
  - rewrite sum_over_zero; [lra|]. intros i _. rewrite advantage_zero_without_deviation by exact zero. ring.
  - pose proof deviation_nonneg. pose proof (advantages_have_unit_mean_square ltac:(lra)) as unit.
    apply (f_equal (Rmult size)) in unit. unfold Rdiv in unit.
    replace (size * (sum_over group (fun i => (advantage i)^2) * / size))
      with (sum_over group (fun i => (advantage i)^2)) in unit by (field; lra). lra.
Qed.

(** One advantage is minus the sum of the others, and Cauchy-Schwarz bounds the others. *)
Theorem advantage_abs_le i : In i group -> Rabs (advantage i) <= sqrt (size - 1).
Proof.
  intros i_in. pose proof size_ge_1. pose proof advantages_square_sum_le as squares.
  pose proof advantages_sum_to_zero as zero. unfold size in *.
  assert (exists rest, INR (length group) = INR (length rest) + 1 /\
    forall f, sum_over group f = f i + sum_over rest f) as (rest & count & split_off).
  { destruct (in_split i group i_in) as (l1 & l2 & equal). exists (l1 ++ l2). rewrite equal, !app_length. split.
    - simpl length. rewrite !plus_INR, S_INR. ring.
    - intros f. rewrite !sum_over_app, sum_over_cons. ring. }
  pose proof (square_of_sum_le rest advantage) as others. rewrite split_off in zero, squares.
  assert ((advantage i)^2 <= INR (length rest)).
  { replace (sum_over rest advantage) with (- advantage i) in others by lra.
    set (a2 := (advantage i)^2) in *. replace ((- advantage i)^2) with a2 in others by (unfold a2; ring).
    pose proof (pos_INR (length rest)). set (n := INR (length rest)) in *.
    assert (n * sum_over rest (fun j => advantage j ^ 2) <= n * (n + 1 - a2)) by (apply Rmult_le_compat_l; lra).
    apply Rmult_le_reg_l with (n + 1); lra. }
  rewrite <- (sqrt_pow2 (Rabs (advantage i))) by apply Rabs_pos. apply sqrt_le_1_alt. rewrite pow2_abs. lra.
Qed.
End Advantage.

(** ** Groups of two: whatever the two rewards, the advantages are 1 and -1 *)
Theorem advantages_of_two {Occurrence : Type} (better worse : Occurrence) (reward : Occurrence -> R) group :
  group = [better; worse] \/ group = [worse; better] -> reward worse < reward better ->
  advantage group reward better = 1 /\ advantage group reward worse = -1.
Proof.
  intros two less. set (half := (reward better - reward worse) / 2).
  assert (sums : forall f, sum_over group f = f better + f worse)
    by (intros f; destruct two as [-> | ->]; unfold sum_over; simpl; ring).
  assert (count : size group = 2) by (unfold size; destruct two as [-> | ->]; simpl; ring).
  assert (centre : mean group reward = (reward better + reward worse) / 2)
    by (unfold mean; rewrite sums, count; reflexivity).
  assert (spread : deviation group reward = half).
  { unfold deviation, variance. rewrite sums, count, centre.
    replace (_ / 2) with (half^2) by (unfold half; field). apply sqrt_pow2. unfold half; lra. }
  unfold advantage. rewrite spread, centre. destruct (Req_EM_T half 0) as [zero|nonzero]; [unfold half in zero; lra|].
  unfold half in *. split; field; lra.
Qed.

Theorem advantage_bound_attained :
  advantage [true; false] (fun b : bool => if b then 1 else 0) true = sqrt (size [true; false] - 1).
Proof.
  destruct (advantages_of_two true false (fun b : bool => if b then 1 else 0) [true; false]) as [-> _]; [auto|lra|].
  unfold size; simpl. replace (1 + 1 - 1) with 1 by ring. symmetry; apply sqrt_1.
Qed.

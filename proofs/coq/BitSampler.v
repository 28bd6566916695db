(** * The sampler of one draw: random bits against cumulative masses (claims G3, C4)

    A draw compares an interval of length 2^-n, given by n fair bits, with the cumulative masses of the policy, and asks
    for one more bit until the interval lies inside the cell of one response.  This decision tree is followed here
    to any depth.

    Main results, for a law on the support
    - [returns_is_share_of_bit_strings] (G3): "n bits return b" is meant over all strings of n bits, equally likely
    - [sampler_law] (G3): the probability that the first n bits return response b is at most its mass, and at least its
      mass minus 2 / 2^n; so the sampler's law is the policy's, not a rounding of it
    - [sampler_law_limit] (G3): that probability tends to the mass
    - [undecided_probability_le] (C4): n bits leave the draw undecided with probability at most m / 2^n for a support
      of m responses, so the sampler ends with probability 1
    - [expected_bits_le]: at most 2 m bits are expected *)
From Coquelicot Require Import Coquelicot.
Require Import Reals Lra Lia List Psatz.
From Grpo Require Import FiniteSums FiniteLaws.
Import ListNotations.
Open Scope R_scope.

Section BitSampler.
Context {Response : Type}.
Hypothesis same_response : forall y y' : Response, {y = y'} + {y <> y'}.
Variable support : list Response.
Variable mass : Response -> R.
Hypothesis mass_law : law support mass.
Hypothesis support_distinct : NoDup support.

(** The cell of a response: from the masses before it to the masses up to it. *)
Fixpoint cells (start : R) (l : list Response) : list (Response * (R * R)) :=
  match l with
  | [] => []
  | b :: rest => (b, (start, start + mass b)) :: cells (start + mass b) rest
  end.

Definition inside (lo width : R) (cell : R * R) : bool :=
  if Rle_dec (fst cell) lo then if Rle_dec (lo + width) (snd cell) then true else false else false.

Definition decide (lo width : R) : option Response :=
  option_map fst (find (fun c => inside lo width (snd c)) (cells 0 support)).

(** What the sampler draws when its bits are these: it narrows the interval until one cell holds it. *)
Fixpoint draw_from_bits (bits : list bool) (lo width : R) : option Response :=
  match decide lo width with
  | Some b => Some b
  | None => match bits with
            | [] => None
            | upper :: rest => draw_from_bits rest (if upper then lo + width / 2 else lo) (width / 2)
            end
  end.

Fixpoint bit_strings (n : nat) : list (list bool) :=
  match n with
  | O => [[]]
  | S n' => map (cons false) (bit_strings n') ++ map (cons true) (bit_strings n')
  end.

(** The probability that the tree below the interval returns b within n more bits. *)
Fixpoint returns (b : Response) (n : nat) (lo width : R) : R :=
  match decide lo width with
  | Some b' => if same_response b' b then 1 else 0
  | None => match n with
            | O => 0
            | S n' => / 2 * returns b n' lo (width / 2) + / 2 * returns b n' (lo + width / 2) (width / 2)
            end
  end.

(** The probability that it is still undecided after n more bits. *)
Fixpoint undecided (n : nat) (lo width : R) : R :=
  match decide lo width with
  | Some _ => 0
  | None => match n with
            | O => 1
            | S n' => / 2 * undecided n' lo (width / 2) + / 2 * undecided n' (lo + width / 2) (width / 2)
            end
  end.

Definition draws_response (b : Response) (drawn : option Response) : R :=
  match drawn with Some b' => if same_response b' b then 1 else 0 | None => 0 end.

Lemma bit_strings_length n : INR (length (bit_strings n)) = 2^n.
Proof.
  induction n as [|n IH]; [reflexivity|]. simpl bit_strings. rewrite app_length, !map_length, plus_INR, IH. simpl. ring.
Qed.

(** All strings of n bits are equally likely: the probability is the share of those that lead to b. *)
Theorem returns_is_share_of_bit_strings b n : forall lo width,
  returns b n lo width
  = (/ 2)^n * sum_over (bit_strings n) (fun bits => draws_response b (draw_from_bits bits lo width)).
Proof.
  induction n as [|n IH]; intros lo width; simpl returns.
  - unfold sum_over; simpl. destruct (decide lo width); simpl; ring.
  - simpl bit_strings. destruct (decide lo width) as [b'|] eqn:found.
    + rewrite (sum_over_ext _ _ (fun _ => if same_response b' b then 1 else 0)).
      * rewrite sum_over_const, app_length, !map_length, plus_INR, bit_strings_length. simpl.
        assert ((/ 2)^n * 2^n = 1) as one by (rewrite <- Rpow_mult_distr, Rinv_l, pow1 by lra; reflexivity).
        replace (/ 2 * (/ 2)^n * ((2^n + 2^n) * (if same_response b' b then 1 else 0)))
          with ((/ 2)^n * 2^n * (if same_response b' b then 1 else 0)) by field. rewrite one. ring.
      * intros bits bits_in. destruct bits; simpl; rewrite found; reflexivity.
    + rewrite sum_over_app, !sum_over_map, !IH. simpl pow. rewrite Rmult_plus_distr_l. f_equal.
      * rewrite <- Rmult_assoc. f_equal. apply sum_over_ext; intros bits _. simpl. rewrite found. reflexivity.
      * rewrite <- Rmult_assoc. f_equal. apply sum_over_ext; intros bits _. simpl. rewrite found. reflexivity.
Qed.

(** ** Intervals and cuts *)
(** Length of the part of an interval that lies in a cell, over the length of the interval times it. *)
Definition overlap (lo width : R) (cell : R * R) : R :=
  Rmax 0 (Rmin (lo + width) (snd cell) - Rmax lo (fst cell)).

Definition cut_inside (lo width cut : R) : R := if Rlt_dec lo cut then if Rlt_dec cut (lo + width) then 1 else 0 else 0.

Lemma overlap_halves lo width cell : 0 <= width -> fst cell <= snd cell ->
  overlap lo width cell = overlap lo (width / 2) cell + overlap (lo + width / 2) (width / 2) cell.
Proof.
  intros positive ordered. unfold overlap. replace (lo + width / 2 + width / 2) with (lo + width) by field.
  unfold Rmin, Rmax. repeat destruct (Rle_dec _ _); lra.
Qed.

Lemma cut_inside_halves lo width cut : 0 <= width ->
  cut_inside lo (width / 2) cut + cut_inside (lo + width / 2) (width / 2) cut <= cut_inside lo width cut.
Proof.
  intros positive. unfold cut_inside. repeat destruct (Rlt_dec _ _); lra.
Qed.

(** ** Cells *)
Lemma cell_facts l : (forall b, In b l -> 0 < mass b) -> forall start b cell, In (b, cell) (cells start l) ->
  In b l /\ start <= fst cell /\ snd cell = fst cell + mass b /\ snd cell <= start + sum_over l mass.
Proof.
  induction l as [|a l IH]; intros positive start b cell cell_in; [contradiction|].
  pose proof (positive a (or_introl eq_refl)). rewrite sum_over_cons.
  assert (0 <= sum_over l mass) by (apply sum_over_nonneg; intros; left; apply positive; simpl; auto).
  destruct cell_in as [equal|cell_in].
  - injection equal as <- <-. simpl. repeat split; (auto || lra).
  - apply IH in cell_in; [|intros; apply positive; simpl; auto]. simpl. intuition lra.
Qed.

Lemma cells_apart l : (forall b, In b l -> 0 < mass b) -> NoDup l -> forall start b cell b' cell',
  In (b, cell) (cells start l) -> In (b', cell') (cells start l) ->
  (b = b' /\ cell = cell') \/ (b <> b' /\ (snd cell <= fst cell' \/ snd cell' <= fst cell)).
Proof.
  intros positive distinct. induction distinct as [|a l a_new _ IH]; intros start b cell b' cell'; [contradiction|].
  pose proof (cell_facts l (fun b b_in => positive b (or_intror b_in)) (start + mass a)) as facts.
  intros [equal|cell_in] [equal'|cell'_in].
  - left. split; congruence.
  - injection equal as <- <-. apply facts in cell'_in. right. simpl. split; [|left; apply cell'_in].
    intros ->. apply a_new, cell'_in.
  - injection equal' as <- <-. apply facts in cell_in. right. simpl. split; [|right; apply cell_in].
    intros ->. apply a_new, cell_in.
  - apply (IH (fun b b_in => positive b (or_intror b_in)) (start + mass a)); assumption.
Qed.

Lemma inside_iff lo width cell : inside lo width cell = true <-> fst cell <= lo /\ lo + width <= snd cell.
Proof. unfold inside. repeat destruct (Rle_dec _ _); intuition congruence. Qed.

Lemma decided_cell lo width b : decide lo width = Some b ->
  exists cell, In (b, cell) (cells 0 support) /\ fst cell <= lo /\ lo + width <= snd cell.
Proof.
  unfold decide. destruct (find _ _) as [[b' cell]|] eqn:found; [|discriminate]. intros equal. injection equal as ->.
  apply find_some in found. exists cell. split; [apply found|]. apply inside_iff, (proj2 found).
Qed.

Lemma undecided_cell lo width b cell : decide lo width = None -> In (b, cell) (cells 0 support) ->
  ~ (fst cell <= lo /\ lo + width <= snd cell).
Proof.
  unfold decide. destruct (find _ _) eqn:found; [discriminate|]. intros _ cell_in fits.
  apply inside_iff in fits. pose proof (find_none _ _ found _ cell_in) as not_inside. simpl in not_inside. congruence.
Qed.

Section OneResponse.
Variables (b : Response) (cell : R * R).
Hypothesis cell_in : In (b, cell) (cells 0 support).

Lemma cell_of_positive_mass : 0 <= fst cell /\ snd cell = fst cell + mass b /\ snd cell <= 1 /\ fst cell < snd cell.
Proof.
  destruct mass_law as [positive total]. apply (cell_facts support positive) in cell_in. rewrite total in cell_in.
  destruct cell_in as (b_in & ? & ? & ?). pose proof (positive b b_in). lra.
Qed.

(** The error of n bits: at most the part of the interval around the two ends of the cell. *)
Lemma returns_close n : forall lo width, 0 < width ->
  width * returns b n lo width <= overlap lo width cell <=
  width * returns b n lo width + width * (/ 2)^n * (cut_inside lo width (fst cell) + cut_inside lo width (snd cell)).
Proof.
  destruct mass_law as [positive total]. pose proof cell_of_positive_mass as (_ & _ & _ & ordered).
  assert (cuts_nonneg : forall lo width cut, 0 <= cut_inside lo width cut)
    by (intros; unfold cut_inside; repeat destruct (Rlt_dec _ _); lra).
  assert (errors_nonneg : forall n lo width, 0 < width ->
            0 <= width * (/ 2)^n * (cut_inside lo width (fst cell) + cut_inside lo width (snd cell))).
  { intros m lo width width_pos.
    pose proof (cuts_nonneg lo width (fst cell)). pose proof (cuts_nonneg lo width (snd cell)).
    repeat apply Rmult_le_pos; try lra. apply pow_le; lra. }
  assert (decided : forall n lo width b', 0 < width -> decide lo width = Some b' ->
            overlap lo width cell = width * returns b n lo width).
  { intros m lo width b' width_pos found. destruct (decided_cell lo width b' found) as (cell' & cell'_in & fits).
    assert (returns b m lo width = if same_response b' b then 1 else 0) as ->
      by (destruct m; simpl; rewrite found; reflexivity).
    destruct (cells_apart support positive support_distinct 0 b cell b' cell' cell_in cell'_in)
      as [[<- <-]|[different apart]].
    - destruct (same_response b b) as [_|]; [|congruence].
      unfold overlap, Rmin, Rmax. repeat destruct (Rle_dec _ _); lra.
    - destruct (same_response b' b) as [|_]; [congruence|].
      unfold overlap, Rmin, Rmax. repeat destruct (Rle_dec _ _); lra. }
  induction n as [|n IH]; intros lo width width_pos; destruct (decide lo width) as [b'|] eqn:found.
  - rewrite (decided 0%nat lo width b' width_pos found). pose proof (errors_nonneg 0%nat lo width width_pos). lra.
  - simpl. rewrite found. pose proof (undecided_cell lo width b cell found cell_in) as straddles.
    unfold overlap, cut_inside, Rmin, Rmax. repeat destruct (Rle_dec _ _); repeat destruct (Rlt_dec _ _); try lra.
  - rewrite (decided (S n) lo width b' width_pos found). pose proof (errors_nonneg (S n) lo width width_pos). lra.
  - simpl returns. rewrite found, (overlap_halves lo width cell) by lra.
    pose proof (IH lo (width / 2) ltac:(lra)) as left. pose proof (IH (lo + width / 2) (width / 2) ltac:(lra)) as right.
    pose proof (cut_inside_halves lo width (fst cell) ltac:(lra)).
    pose proof (cut_inside_halves lo width (snd cell) ltac:(lra)).
    assert (0 <= (/ 2)^n) by (apply pow_le; lra). simpl pow.
    set (cuts := cut_inside lo width (fst cell) + cut_inside lo width (snd cell)) in *.
    set (cuts_left := cut_inside lo (width / 2) (fst cell) + cut_inside lo (width / 2) (snd cell)) in *.
    set (cuts_right := cut_inside (lo + width / 2) (width / 2) (fst cell)
                       + cut_inside (lo + width / 2) (width / 2) (snd cell)) in *.
    assert (width / 2 * (/ 2)^n * (cuts_left + cuts_right) <= width / 2 * (/ 2)^n * cuts).
    { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|unfold cuts, cuts_left, cuts_right; lra]. }
    lra.
Qed.

Theorem sampler_law_of_cell n : mass b - 2 * (/ 2)^n <= returns b n 0 1 <= mass b.
Proof.
  pose proof cell_of_positive_mass as (lo & width & hi & ordered). pose proof (returns_close n 0 1 ltac:(lra)) as close.
  replace (overlap 0 1 cell) with (mass b) in close
    by (unfold overlap, Rmin, Rmax; repeat destruct (Rle_dec _ _); lra).
  assert (cut_inside 0 1 (fst cell) + cut_inside 0 1 (snd cell) <= 2)
    by (unfold cut_inside; repeat destruct (Rlt_dec _ _); lra).
  assert (0 <= (/ 2)^n) by (apply pow_le; lra).
  assert (1 * (/ 2)^n * (cut_inside 0 1 (fst cell) + cut_inside 0 1 (snd cell)) <= 1 * (/ 2)^n * 2)
    by (apply Rmult_le_compat_l; lra). lra.
Qed.
End OneResponse.

Lemma cell_exists l : forall start b, In b l -> exists cell, In (b, cell) (cells start l).
Proof.
  induction l as [|a l IH]; intros start b []; [subst; eexists; simpl; left; reflexivity|].
  destruct (IH (start + mass a) b H) as [cell cell_in]. exists cell. simpl; auto.
Qed.

Lemma cells_length l : forall start, length (cells start l) = length l.
Proof. induction l as [|b l IH]; intros; simpl; [|rewrite IH]; reflexivity. Qed.

(** ** The claims *)
Theorem sampler_law b n : In b support -> mass b - 2 * (/ 2)^n <= returns b n 0 1 <= mass b.
Proof.
  intros b_in. destruct (cell_exists support 0 b b_in) as [cell cell_in]. apply (sampler_law_of_cell b cell cell_in).
Qed.

Theorem sampler_law_limit b : In b support -> is_lim_seq (fun n => returns b n 0 1) (mass b).
Proof.
  intros b_in. apply (is_lim_seq_le_le (fun n => mass b - 2 * (/ 2)^n) _ (fun _ => mass b)).
  - intros n. apply sampler_law, b_in.
  - replace (Finite (mass b)) with (Finite (mass b - 2 * 0)) by (f_equal; ring).
    apply (is_lim_seq_minus' (fun _ => mass b)); [apply is_lim_seq_const|].
    apply (is_lim_seq_scal_l _ 2 0). apply is_lim_seq_geom. rewrite Rabs_pos_eq; lra.
  - apply is_lim_seq_const.
Qed.

Definition cuts_inside (lo width : R) : R := sum_over (cells 0 support) (fun c => cut_inside lo width (snd (snd c))).

Lemma undecided_has_cut l : forall start lo width, 0 < width -> start <= lo -> lo + width <= start + sum_over l mass ->
  (forall c, In c (cells start l) -> ~ (fst (snd c) <= lo /\ lo + width <= snd (snd c))) ->
  exists c, In c (cells start l) /\ lo < snd (snd c) < lo + width.
Proof.
  induction l as [|a l IH]; intros start lo width width_pos lower upper straddles.
  - unfold sum_over in upper; simpl in upper. lra.
  - rewrite sum_over_cons in upper. pose proof (straddles _ (or_introl eq_refl)) as first. simpl in first.
    destruct (Rlt_dec lo (start + mass a)).
    + exists (a, (start, start + mass a)). simpl. split; [auto|lra].
    + destruct (IH (start + mass a) lo width) as (c & c_in & cut); try lra.
      * intros c c_in. apply straddles. simpl; auto.
      * exists c. split; [simpl; auto|exact cut].
Qed.

Lemma undecided_le n : forall lo width, 0 < width -> 0 <= lo -> lo + width <= 1 ->
  undecided n lo width <= (/ 2)^n * cuts_inside lo width.
Proof.
  destruct mass_law as [positive total].
  assert (cuts_nonneg : forall lo width, 0 <= cuts_inside lo width)
    by (intros; apply sum_over_nonneg; intros; unfold cut_inside; repeat destruct (Rlt_dec _ _); lra).
  induction n as [|n IH]; intros lo width width_pos lower upper; simpl;
    destruct (decide lo width) as [b|] eqn:found; try (apply Rmult_le_pos; [|apply cuts_nonneg]; try lra).
  - rewrite Rmult_1_l. destruct (undecided_has_cut support 0 lo width) as ([b cell] & c_in & cut); try lra.
    + intros [b cell] c_in. apply (undecided_cell lo width b cell found c_in).
    + eapply Rle_trans; [|apply (term_le_sum_over _ (fun c => cut_inside lo width (snd (snd c))) (b, cell));
        [intros; unfold cut_inside; repeat destruct (Rlt_dec _ _); lra|exact c_in]].
      simpl in *. unfold cut_inside. repeat destruct (Rlt_dec _ _); lra.
  - apply Rmult_le_pos; [lra|apply pow_le; lra].
  - pose proof (IH lo (width / 2)) as left. pose proof (IH (lo + width / 2) (width / 2)) as right.
    assert (cuts_inside lo (width / 2) + cuts_inside (lo + width / 2) (width / 2) <= cuts_inside lo width).
    { unfold cuts_inside. rewrite <- sum_over_plus. apply sum_over_le. intros; apply cut_inside_halves; lra. }
    assert (0 <= (/ 2)^n) by (apply pow_le; lra).
    assert ((/ 2)^n * (cuts_inside lo (width / 2) + cuts_inside (lo + width / 2) (width / 2))
            <= (/ 2)^n * cuts_inside lo width) by (apply Rmult_le_compat_l; lra).
    lra.
Qed.

Theorem undecided_probability_le n : undecided n 0 1 <= INR (length support) * (/ 2)^n.
Proof.
  eapply Rle_trans; [apply undecided_le; lra|]. rewrite Rmult_comm.
  apply Rmult_le_compat_r; [apply pow_le; lra|]. unfold cuts_inside.
  rewrite <- (cells_length support 0), <- (Rmult_1_r (INR _)), <- sum_over_const. apply sum_over_le.
  intros; unfold cut_inside; repeat destruct (Rlt_dec _ _); lra.
Qed.

(** The n-th bit is asked with the probability that n bits left the draw undecided. *)
Theorem expected_bits_le depth : sum_over (seq 0 depth) (fun n => undecided n 0 1) <= 2 * INR (length support).
Proof.
  assert (sum_over (seq 0 depth) (fun n => (/ 2)^n) <= 2 - (/ 2)^depth * 2) as geometric.
  { induction depth as [|depth IH]; [unfold sum_over; simpl; lra|].
    rewrite seq_S, sum_over_app, sum_over_cons, sum_over_nil. simpl. lra. }
  eapply Rle_trans; [apply sum_over_le; intros n _; apply undecided_probability_le|].
  rewrite sum_over_scal. pose proof (pos_INR (length support)). assert (0 <= (/ 2)^depth) by (apply pow_le; lra).
  rewrite Rmult_comm. apply Rmult_le_compat_r; [assumption|]. eapply Rle_trans; [exact geometric|lra].
Qed.
End BitSampler.

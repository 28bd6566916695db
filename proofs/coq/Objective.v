(** * The frozen objective F_t and its bound (claims B3, B5)

    The frozen data of an outer iteration (Procedure.v) carry the old parameter, the reference policy and the
    groups of drawn (response, reward) pairs.  Parameters live in any real normed module V.

    Main results
    - [sequence_ratio_positive], [sequence_ratio_at_old] (B3)
    - [objective_bound] (B5): on the domain, abs(F) <= sqrt(G-1) max(1+epsilon, 1/least old mass drawn)
      + beta ln(1/least reference mass)
    - [objective_at_old]: F at the old parameter is -beta times the mean divergence, since advantages sum to 0 *)
Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Grpo Require Import FiniteSums Procedure Advantage ClippedTerm FiniteLaws Divergence.
Import ListNotations.
Open Scope R_scope.

(** What a problem fixes beside the plan of a run. *)
Record problem (V : NormedModule R_AbsRing) (Prompt Response : Type) := Problem {
  support : Prompt -> list Response;
  domain : V -> Prop;
  policy : V -> Prompt -> Response -> R;
  clip_threshold : R;
  penalty_weight : R }.
Arguments support {V Prompt Response}. Arguments domain {V Prompt Response}. Arguments policy {V Prompt Response}.
Arguments clip_threshold {V Prompt Response}. Arguments penalty_weight {V Prompt Response}.

(** Frozen data whose rewards are reals and whose reference is a family of mass functions. *)
Notation frozen_groups V Prompt Response := (frozen_data V Prompt Response R (Prompt -> Response -> R)).

Section Objective.
Context {V : NormedModule R_AbsRing} {Prompt Response : Type}.
Variable P : problem V Prompt Response.
Notation frozen_update := (frozen_groups V Prompt Response).
Notation epsilon := (clip_threshold P).
Notation beta := (penalty_weight P).

Record lawful : Prop := {
  policy_law : forall theta q, domain P theta -> law (support P q) (policy P theta q);
  threshold_range : 0 < epsilon < 1;
  penalty_nonneg : 0 <= beta }.

(** An occurrence is a prompt, its group and one drawn (response, reward) of the group. *)
Definition occurs (frozen : frozen_update) q g d : Prop := In (q, g) (groups frozen) /\ In d g.

Record well_drawn (G : nat) (frozen : frozen_update) : Prop := {
  old_in_domain : domain P (old_parameter frozen);
  some_group : groups frozen <> [];
  group_size_positive : (0 < G)%nat;
  groups_full : forall q g, In (q, g) (groups frozen) -> length g = G;
  drawn_in_support : forall q g d, occurs frozen q g d -> In (fst d) (support P q);
  reference_law : forall q, law (support P q) (reference frozen q) }.

(** ** The objective *)
Definition group_advantage (g : list (Response * R)) (d : Response * R) : R := advantage g snd d.

Definition sequence_ratio (frozen : frozen_update) (theta : V) (q : Prompt) (y : Response) : R :=
  policy P theta q y / policy P (old_parameter frozen) q y.

Definition surrogate frozen theta (q : Prompt) (g : list (Response * R)) : R :=
  average g (fun d => term epsilon (group_advantage g d) (sequence_ratio frozen theta q (fst d))).

Definition penalty (frozen : frozen_update) theta (q : Prompt) : R :=
  divergence (support P q) (policy P theta q) (reference frozen q).

Definition objective (frozen : frozen_update) (theta : V) : R :=
  average (groups frozen) (fun '(q, g) => surrogate frozen theta q g - beta * penalty frozen theta q).

(** ** Its bound *)
Hypothesis P_lawful : lawful.
Variable G : nat.
Variable frozen : frozen_update.
Hypothesis drawn : well_drawn G frozen.
Notation old := (old_parameter frozen).

Lemma group_nonempty q g : In (q, g) (groups frozen) -> g <> [].
Proof.
  intros g_in ->. pose proof (groups_full _ _ drawn q [] g_in) as size. pose proof (group_size_positive _ _ drawn).
  simpl in size. rewrite <- size in *. inversion H.
Qed.

Theorem sequence_ratio_positive theta q g d : domain P theta -> occurs frozen q g d ->
  0 < sequence_ratio frozen theta q (fst d).
Proof.
  intros inside d_in. apply (ratio_positive (support P q)).
  - apply P_lawful, inside.
  - apply P_lawful, (old_in_domain _ _ drawn).
  - apply (drawn_in_support _ _ drawn q g d d_in).
Qed.

Theorem sequence_ratio_at_old q g d : occurs frozen q g d -> sequence_ratio frozen old q (fst d) = 1.
Proof.
  intros d_in. apply (ratio_at_same_law (support P q)); [apply P_lawful, (old_in_domain _ _ drawn)|].
  apply (drawn_in_support _ _ drawn q g d d_in).
Qed.

(** The least element of a list of masses; masses are at most 1. *)
Definition least (masses : list R) : R := fold_right Rmin 1 masses.

Lemma least_le masses m : In m masses -> least masses <= m.
Proof.
  induction masses as [|a l IH]; intros []; simpl; [subst; apply Rmin_l|].
  eapply Rle_trans; [apply Rmin_r|apply IH; assumption].
Qed.

Lemma least_positive masses : (forall m, In m masses -> 0 < m) -> 0 < least masses.
Proof. induction masses as [|a l IH]; simpl; intros positive; [lra|]. apply Rmin_glb_lt; auto. Qed.

Definition old_masses_drawn : list R :=
  flat_map (fun '(q, g) => map (fun d => policy P old q (fst d)) g) (groups frozen).
Definition reference_masses : list R :=
  flat_map (fun '(q, _) => map (reference frozen q) (support P q)) (groups frozen).

Lemma least_old_mass q g d : occurs frozen q g d -> 0 < least old_masses_drawn <= policy P old q (fst d).
Proof.
  intros [g_in d_in]. split.
  - apply least_positive. intros m m_in. apply in_flat_map in m_in. destruct m_in as ([q' g'] & g'_in & m_in).
    apply in_map_iff in m_in. destruct m_in as (d' & <- & d'_in).
    apply (policy_law P_lawful); [apply (old_in_domain _ _ drawn)|].
    apply (drawn_in_support _ _ drawn q' g' d'). split; assumption.
  - apply least_le, in_flat_map. exists (q, g). split; [exact g_in|].
    apply (in_map (fun d => policy P old q (fst d))), d_in.
Qed.

Lemma least_reference_mass q g b : In (q, g) (groups frozen) -> In b (support P q) ->
  0 < least reference_masses <= reference frozen q b.
Proof.
  intros g_in b_in. split.
  - apply least_positive. intros m m_in. apply in_flat_map in m_in. destruct m_in as ([q' g'] & _ & m_in).
    apply in_map_iff in m_in. destruct m_in as (b' & <- & b'_in). apply (reference_law _ _ drawn q'), b'_in.
  - apply least_le, in_flat_map. exists (q, g). split; [exact g_in|]. apply in_map, b_in.
Qed.

Definition surrogate_bound : R := sqrt (INR G - 1) * Rmax (1 + epsilon) (/ least old_masses_drawn).

Lemma surrogate_abs_le theta q g : domain P theta -> In (q, g) (groups frozen) ->
  Rabs (surrogate frozen theta q g) <= surrogate_bound.
Proof.
  intros inside g_in. pose proof (threshold_range P_lawful).
  apply average_abs_le; [apply (group_nonempty q), g_in|]. intros d d_in.
  assert (d_occurs : occurs frozen q g d) by (split; assumption).
  eapply Rle_trans; [apply term_abs_le; [lra|apply (sequence_ratio_positive theta q g); assumption]|].
  apply Rmult_le_compat; [apply Rabs_pos|..].
  - apply Rle_trans with (1 + epsilon); [lra|apply Rmax_l].
  - rewrite <- (groups_full _ _ drawn q g g_in).
    apply (advantage_abs_le g snd (group_nonempty q g g_in) d d_in).
  - apply Rle_max_compat_l. apply (ratio_le (support P q)); [apply P_lawful, inside| |].
    + apply (drawn_in_support _ _ drawn q g d d_occurs).
    + apply (least_old_mass q g d d_occurs).
Qed.

Lemma penalty_range theta q g : domain P theta -> In (q, g) (groups frozen) ->
  0 <= penalty frozen theta q <= ln (/ least reference_masses).
Proof.
  intros inside g_in. pose proof (policy_law P_lawful theta q inside) as p_law.
  pose proof (reference_law _ _ drawn q) as r_law. split; [apply divergence_nonneg; assumption|].
  apply divergence_le; [exact p_law| |intros b b_in; apply (least_reference_mass q g b g_in b_in)].
  destruct (support P q) as [|b l] eqn:equal;
    [destruct p_law as [_ p_total]; unfold sum_over in p_total; simpl in p_total; lra|].
  apply (least_reference_mass q g b g_in). rewrite equal. simpl; auto.
Qed.

Theorem objective_bound theta : domain P theta ->
  Rabs (objective frozen theta)
  <= sqrt (INR G - 1) * Rmax (1 + epsilon) (/ least old_masses_drawn) + beta * ln (/ least reference_masses).
Proof.
  intros inside. apply average_abs_le; [apply (some_group _ _ drawn)|]. intros [q g] g_in.
  pose proof (surrogate_abs_le theta q g inside g_in). pose proof (penalty_range theta q g inside g_in).
  pose proof (penalty_nonneg P_lawful).
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [assumption|].
  rewrite Rabs_Ropp, Rabs_pos_eq by (apply Rmult_le_pos; lra). apply Rmult_le_compat_l; lra.
Qed.

Theorem objective_at_old :
  objective frozen old = - beta * average (groups frozen) (fun qg => penalty frozen old (fst qg)).
Proof.
  unfold objective, average at 1.
  rewrite (sum_over_ext _ _ (fun qg => - beta * penalty frozen old (fst qg))).
  - rewrite sum_over_scal. unfold average. ring.
  - intros [q g] g_in. pose proof (threshold_range P_lawful). simpl fst.
    enough (surrogate frozen old q g = 0) as -> by ring. unfold surrogate, average.
    rewrite (sum_over_ext g _ (group_advantage g)).
    + unfold group_advantage. rewrite advantages_sum_to_zero by (apply (group_nonempty q), g_in). ring.
    + intros d d_in. rewrite (sequence_ratio_at_old q g) by (split; assumption). rewrite term_inside by lra. ring.
Qed.
End Objective.

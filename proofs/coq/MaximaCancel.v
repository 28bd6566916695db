(** * Why the lemma needs minima: a maximum can cancel a kink (beside claim F1)

    The dual clip bounds the term of a negative advantage from below by c A: term' = max(term, c A) for A < 0.  A sum
    with such a maximum can be differentiable where both of its terms have a kink, so the criterion of F2 would be
    wrong there.

    Main results
    - [dual_clip_kinks_cancel]: with epsilon = 1/5 and c = 3, advantages 1 and -2/5 and ratios x and (5/2) x, the sum of
      the two terms has derivative 0 at x = 6/5, while neither term has a derivative there *)
From Coquelicot Require Import Coquelicot.
Require Import Reals Lra List.
From Grpo Require Import FiniteSums ClippedTerm Differentials SumOfMinima.
Import ListNotations.
Open Scope R_scope.

Definition dual_clip_term (c epsilon A rho : R) : R :=
  if Rlt_dec A 0 then Rmax (term epsilon A rho) (c * A) else term epsilon A rho.

Definition capped_term (x : R) : R := dual_clip_term 3 (1/5) 1 x.
Definition floored_term (x : R) : R := dual_clip_term 3 (1/5) (-2/5) (5/2 * x).

Lemma capped_term_eq x : capped_term x = Rmin x (6/5).
Proof.
  unfold capped_term, dual_clip_term. destruct (Rlt_dec 1 0); [lra|].
  rewrite term_of_positive_advantage by lra. replace (1 + 1/5) with (6/5) by field. ring.
Qed.

Lemma floored_term_eq x : 8/25 < x -> floored_term x = - Rmin x (6/5).
Proof.
  intros large. unfold floored_term, dual_clip_term. destruct (Rlt_dec (-2/5) 0); [|lra].
  rewrite term_of_negative_advantage by lra. by_cases_of_min_max.
Qed.

Lemma minimum_has_kink : ~ ex_derive (fun x => Rmin x (6/5)) (6/5).
Proof.
  intros derivable.
  destruct (sum_of_minima_derivable_iff [tt] (fun _ x => x) (fun _ _ => 6/5) (fun _ => 1) (fun _ => 0) (6/5))
    as [ties _].
  - intros. exact (is_derive_id (K := R_AbsRing) (6/5)).
  - intros. exact (is_derive_const (K := R_AbsRing) (V := R_NormedModule) (6/5) (6/5)).
  - enough (1 = 0) by lra. refine (ties _ tt _ _); simpl; auto.
    apply (ex_derive_ext (fun x => Rmin x (6/5))); [intros; unfold sum_over; simpl; ring|exact derivable].
Qed.

Lemma near_the_tie : locally (6/5) (fun x => 8/25 < x).
Proof. apply (open_gt (8/25)). lra. Qed.

Theorem dual_clip_kinks_cancel :
  is_derive (fun x => capped_term x + floored_term x) (6/5) 0 /\
  ~ ex_derive capped_term (6/5) /\ ~ ex_derive floored_term (6/5).
Proof.
  split; [|split].
  - apply (is_derive_ext_loc (fun _ => 0)).
    + eapply filter_imp; [|exact near_the_tie]. intros x large. simpl.
      rewrite capped_term_eq, floored_term_eq by exact large. ring.
    + exact (is_derive_const (K := R_AbsRing) (V := R_NormedModule) 0 (6/5)).
  - intros derivable. apply minimum_has_kink. apply (ex_derive_ext capped_term); [exact capped_term_eq|exact derivable].
  - intros derivable. apply minimum_has_kink.
    apply (ex_derive_ext_loc (fun x => - floored_term x)).
    + eapply filter_imp; [|exact near_the_tie]. intros x large. simpl. rewrite floored_term_eq by exact large. ring.
    + apply (ex_derive_opp floored_term). exact derivable.
Qed.

(* The rule of Model.v as a program. `table` walks the whole history of an anchor, along every path; `ptable` stops
   at the round of the claims, which is all that is read. The theorem says that both are the same function wherever
   edges lead to lower rounds, which the oracle checks of its input (oracle.ml). *)
From Coq Require Import List Arith Lia Bool Extraction ExtrOcamlBasic ExtrOcamlNatInt.
Import ListNotations.
Require Import Weight Model Proof.

Section Oracle.
Context {P : Params} {BT : Blocks}.
Variable g : nat -> Blk -> bool.

Fixpoint histl_from (lo k : nat) (A : Blk) : list Blk :=
  match k with
  | 0 => []
  | S k' => if round A <? lo then [] else A :: flat_map (histl_from lo k') (edges A)
  end.
Definition pdecide1 (V : view) (r : nat) (rest : list status) : status :=
  match direct g V r with
  | Undecided =>
      match anchor (map (usable V) (skipn (gap - 1) rest)) with
      | Commit A => match findclaim g r (histl_from (r + 2) (S (round A)) A) with
                    | Some L => Commit L | None => Skip end
      | _ => Undecided
      end
  | x => x
  end.
Fixpoint ptable (V : view) (k r : nat) : list status :=
  match k with 0 => [] | S k' => let rest := ptable V k' (S r) in pdecide1 V r rest :: rest end.

Definition falling : Prop := forall B e, In e (edges B) -> round e < round B.
Hypothesis Hfall : falling.

Lemma findclaim_app r X Y :
  findclaim g r (X ++ Y) = match findclaim g r X with Some L => Some L | None => findclaim g r Y end.
Proof.
  induction X as [|B X IH]; simpl; auto.
  destruct (round B =? r + 2); [|exact IH].
  destruct (claim B) as [L|]; [|exact IH]. destruct (g r L); [reflexivity|exact IH].
Qed.
Lemma findclaim_below r : forall k A, round A < r + 2 -> findclaim g r (histl k A) = None.
Proof.
  induction k as [|k IH]; intros A H; [reflexivity|]. simpl.
  destruct (round A =? r + 2) eqn:E; [apply Nat.eqb_eq in E; lia|].
  assert (HE : forall e, In e (edges A) -> round e < r + 2) by (intros e I; apply Hfall in I; lia).
  induction (edges A) as [|e t IHt]; [reflexivity|]. simpl. rewrite findclaim_app, IH by (apply HE; now left).
  apply IHt. intros x I. apply HE. now right.
Qed.
Lemma findclaim_from r : forall k A, findclaim g r (histl_from (r + 2) k A) = findclaim g r (histl k A).
Proof.
  induction k as [|k IH]; intros A; [reflexivity|].
  destruct (round A <? r + 2) eqn:E.
  - rewrite findclaim_below by (now apply Nat.ltb_lt). simpl. now rewrite E.
  - simpl. rewrite E. simpl.
    assert (HT : findclaim g r (flat_map (histl_from (r + 2) k) (edges A)) =
                 findclaim g r (flat_map (histl k) (edges A))).
    { induction (edges A) as [|e t IHt]; [reflexivity|]. simpl. now rewrite !findclaim_app, IH, IHt. }
    now rewrite HT.
Qed.
Theorem ptable_is_table V : forall k r, ptable V k r = table g V k r.
Proof.
  induction k as [|k IH]; intros r; [reflexivity|]. simpl. rewrite IH. f_equal.
  unfold pdecide1, decide1. destruct (direct g V r); auto.
  destruct (anchor _) as [| |A]; auto. now rewrite findclaim_from.
Qed.
(* What a node reports of a slot: a leader that is committed but not accepted is not delivered yet. *)
Definition decisions (V : view) (k r : nat) : list status := map (usable V) (ptable V k r).
End Oracle.
Print Assumptions ptable_is_table.

(* The hypotheses of `Legal` that parameters alone decide, by name: the oracle refuses others unless told not to. *)
Definition lawful {P : Params} : bool :=
  let tot := @total P in
  (tot + f + 1 <=? v + v) && (tot + f + 1 <=? v + b) && (tot + f + 1 <=? c + d) && (f + 1 <=? a) && (d <=? tot)
  && (3 <=? gap) && rule_dense && rule_self && rule_check && rule_stop && rule_wait.
Theorem lawful_is_legal (P : Params) : lawful = true -> wsum wt byz N <= f -> Legal P.
Proof.
  unfold lawful. rewrite !andb_true_iff, !Nat.leb_le. intros H HB.
  destruct H as [[[[[[[[[[H1 H2] H3] H4] H5] H6] H7] H8] H9] H10] H11]. constructor; auto.
Qed.
Print Assumptions lawful_is_legal.

Extraction "thresher_rule.ml" decisions lawful.

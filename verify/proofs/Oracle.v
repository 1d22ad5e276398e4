(* The rule of Model.v as a program: what Coq extracts here is `table`, of which the theorems speak, and the test of
   the hypotheses. oracle.ml reads and prints. *)
From Coq Require Import List Arith Lia Bool Extraction ExtrOcamlBasic ExtrOcamlNatInt.
Import ListNotations.
Require Import Weight Model Proof.

Section Oracle.
Context {P : Params} {BT : Blocks}.
Variable g : nat -> Blk -> bool.

(* What a node reports of a slot: a leader that is committed but not accepted is not delivered yet. *)
Definition decisions (V : view) (k r : nat) : list status := map (usable V) (table g V k r).
End Oracle.

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

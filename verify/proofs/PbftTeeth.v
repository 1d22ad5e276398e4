(* Teeth of PbftProof.v: with any one hypothesis removed, all others kept, there is a concrete run in which two
   observers decide the slot differently; the unbroken rules decide, across a view change too. n = 4, f = 1, node 3 is
   Byzantine. Every statement is checked by computation inside Coq. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Pbft PbftProof.

Definition par q a leave agree choose : PParams := {|
  N := 4; wt := fun _ => 1; Pbft.f := 1; Pbft.q := q; Pbft.a := a; byz := fun p => p =? 3;
  rule_leave := leave; rule_agree := agree; rule_choose := choose |}.
(* the hypotheses as booleans: 0 byz_le, 1 Aq, 2 Aa, 3 leave, 4 agree, 5 choose *)
Definition laws (P : PParams) : list bool :=
  [ wsum wt byz N <=? f; total + f + 1 <=? q + q; f + 1 <=? a; rule_leave; rule_agree; rule_choose ].
Definition breaks (P : PParams) (k : nat) : Prop := laws P = map (fun i => negb (i =? k)) (seq 0 6).
Lemma laws_legal P : laws P = repeat true 6 -> PLegal P.
Proof.
  intros H. cbv [laws repeat] in H. injection H as H0 H1 H2 H3 H4 H5.
  constructor; try apply Nat.leb_le; assumption.
Qed.
Definition pfork (P : PParams) : Prop :=
  exists s p p' x y, reach s /\ In (p, x) (done s) /\ In (p', y) (done s) /\ x <> y.
Theorem no_pfork P : PLegal P -> ~ pfork P.
Proof. intros HL (s & p & p' & x & y & HR & H1 & H2 & NE). apply NE. eapply pbft_agreement; eauto. Qed.

(* what observers 5 and 6 decided at the end of a run *)
Definition ends (P : PParams) (es : list event) (l : list (nat * nat)) : bool :=
  match run init es with
  | Some s => forallb (fun e => existsb (fun d => (fst d =? fst e) && (snd d =? snd e)) (done s)) l
  | None => false end.
Lemma ends_pfork P es x y : ends P es [(5, x); (6, y)] = true -> x <> y -> pfork P.
Proof.
  unfold ends. destruct (run init es) as [s|] eqn:E; [|discriminate]. intros H NE.
  simpl in H. rewrite !andb_true_iff in H. destruct H as [H1 [H2 _]].
  apply existsb_exists in H1. apply existsb_exists in H2.
  destruct H1 as ([p1 x1] & I1 & E1), H2 as ([p2 x2] & I2 & E2). simpl in E1, E2.
  rewrite andb_true_iff, !Nat.eqb_eq in E1, E2. destruct E1 as [-> ->], E2 as [-> ->].
  exists s, 5, 6, x, y. repeat split; auto. exists es. exact E.
Qed.

Section Play.
Context {P : PParams}.
Definition one (l : list nat) (p : nat) : bool := existsb (fun i => i =? p) l.
(* the nodes of l accept, prepare, commit x in view v, a Byzantine vote with them; start: by the claim of node b *)
Definition accept (l : list nat) (v x b : nat) : list event := map (fun p => EAccept p v x (one [0; 1; 2; 3]) b) l.
Definition votes3 (v x : nat) : list event := [EByzPrepare (mkvote 3 v x); EByzCommit (mkvote 3 v x)].
Definition prepared (l : list nat) (v x : nat) : list event := map (fun p => EPrepared p v x) l.
Definition move (l : list nat) (v : nat) : list event := map (fun p => EMove p v) l.
End Play.

(* The unbroken rules: a decision, and the same value chosen after a view change; a slot that nobody prepared is free. *)
Definition P_good := par 3 2 true true true.
Example good_legal : PLegal P_good.
Proof. apply laws_legal. reflexivity. Qed.
Example good_stays : ends P_good
  (accept [0; 1; 2] 1 7 0 ++ prepared [0; 1; 2] 1 7 ++ [EDecide 5 1 7] ++ move [0; 1; 2] 2 ++ accept [0; 1; 2] 2 7 0
   ++ prepared [0; 1; 2] 2 7 ++ [EDecide 6 2 7]) [(5, 7); (6, 7)] = true.
Proof. vm_compute. reflexivity. Qed.
Example good_free : ends P_good
  (move [0; 1; 2] 2 ++ accept [0; 1; 2] 2 9 0 ++ prepared [0; 1; 2] 2 9 ++ [EDecide 5 2 9]) [(5, 9)] = true.
Proof. vm_compute. reflexivity. Qed.

(* Quorums of two: each half decides with the Byzantine node's votes for both. *)
Theorem fork_quorum : breaks (par 2 2 true true true) 1 /\ pfork (par 2 2 true true true).
Proof.
  split; [reflexivity|].
  apply (ends_pfork _ (accept [0] 1 7 0 ++ accept [1] 1 8 0 ++ votes3 1 7 ++ votes3 1 8 ++ prepared [0] 1 7
    ++ prepared [1] 1 8 ++ [EDecide 5 1 7; EDecide 6 1 8]) 7 8); [vm_compute; reflexivity|discriminate].
Qed.

Definition decide7 : list event :=
  accept [0; 1; 2] 1 7 0 ++ prepared [0; 1; 2] 1 7 ++ [EDecide 5 1 7].
Definition decide8 (v b : nat) : list event :=
  accept [0; 1; 2] v 8 b ++ prepared [0; 1; 2] v 8 ++ [EDecide 6 v 8].

(* One claim of having seen a value is enough: the Byzantine node claims to have prepared another one later. *)
Theorem fork_amplify : breaks (par 3 1 true true true) 2 /\ pfork (par 3 1 true true true).
Proof.
  split; [reflexivity|].
  apply (ends_pfork _ (decide7 ++ move [0; 1; 2] 3 ++ [EByzChange 3 3 (mkclaim 2 8 [(8, 2)])] ++ decide8 3 3) 7 8);
    [vm_compute; reflexivity|discriminate].
Qed.
(* Who asked for the next view still votes in the one before. *)
Theorem fork_leave : breaks (par 3 2 false true true) 3 /\ pfork (par 3 2 false true true).
Proof.
  split; [reflexivity|].
  apply (ends_pfork _ (move [0; 1; 2] 2 ++ decide8 2 0 ++ decide7) 7 8); [vm_compute; reflexivity|discriminate].
Qed.
(* A prepared value is chosen though a quorum does not agree: node 2 was shown another proposal. *)
Theorem fork_agree : breaks (par 3 2 true false true) 4 /\ pfork (par 3 2 true false true).
Proof.
  split; [reflexivity|].
  apply (ends_pfork _ (accept [0; 1] 1 7 0 ++ accept [2] 1 8 0 ++ votes3 1 7 ++ prepared [0; 1] 1 7 ++ [EDecide 5 1 7]
    ++ move [0; 1; 2] 2 ++ [EByzChange 3 2 (mkclaim 1 8 [(8, 1)])] ++ decide8 2 3) 7 8);
    [vm_compute; reflexivity|discriminate].
Qed.
(* The leader of a later view proposes what it likes. *)
Theorem fork_choose : breaks (par 3 2 true true false) 5 /\ pfork (par 3 2 true true false).
Proof.
  split; [reflexivity|].
  apply (ends_pfork _ (decide7 ++ move [0; 1; 2] 2 ++ decide8 2 0) 7 8); [vm_compute; reflexivity|discriminate].
Qed.
Print Assumptions no_pfork.
Print Assumptions fork_quorum.
Print Assumptions fork_amplify.
Print Assumptions fork_leave.
Print Assumptions fork_agree.
Print Assumptions fork_choose.

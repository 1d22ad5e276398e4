(* The rules with a schedule by round, literally: leader blocks are dense (a validity rule, from round 2 on),
   votes and claims name leader blocks. Its runs are runs of Model.v, so the theorems hold for it. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Model Proof.

Section Spec.
Context {P : Params} {BT : Blocks} {LG : Legal P}.
Variable leader : nat -> nat.

Definition leads (L : Blk) : bool := author L =? leader (round L).
Definition sec2 (B : Blk) : bool :=
  (if leads B && (2 <=? round B) then dense B else true)
  && match vote B with Some L => leads L | None => true end
  && match claim B with Some L => leads L | None => true end.
Definition spec_exec (s : state) (e : event) : option state :=
  match e with
  | ESign B =>      (* a node's floor lies below the slot that it votes on *)
      if sign_core s B && sec2 B && match vote B with Some L => flr s (author B) <? round L | None => true end
      then Some (mkst (B :: net s) (hld s) (acc s) (flr s)) else None
  | EAccept p B => if sec2 B then exec s e else None
  | _ => exec s e
  end.
Fixpoint spec_run (s : state) (es : list event) : option state :=
  match es with [] => Some s | e :: t => match spec_exec s e with Some s' => spec_run s' t | None => None end end.
Definition spec_reach (s : state) : Prop := exists es, spec_run init es = Some s.
Definition all_sec2 (s : state) : Prop := forall p L, In L (acc s p) -> sec2 L = true.

Lemma sign_vote s B L : sign_core s B = true -> vote B = Some L -> flr s (author B) < round L ->
  In L (acc s (author B)).
Proof.
  unfold sign_core. rewrite !andb_true_iff. intros [[_ Hw] _] E HF.
  eapply wf_edges; [exact Hw| |exact HF]. unfold edges. rewrite E, !in_app_iff. simpl. auto.
Qed.
Lemma spec_exec_exec s e s' : all_sec2 s -> spec_exec s e = Some s' -> exec s e = Some s' /\ all_sec2 s'.
Proof.
  intros HA H. destruct e as [B|B|p B|p B|p k]; simpl in *.
  - destruct (byz (author B)); [|discriminate]. injection H as <-. auto.
  - destruct (sign_core s B && sec2 B && _) eqn:E; [|discriminate]. injection H as <-. split; auto.
    rewrite !andb_true_iff in E. destruct E as [[E1 E2] EF]. unfold may_sign. rewrite E1, andb_true_l.
    destruct (vote B) as [L|] eqn:EV; auto.
    rewrite Nat.ltb_lt in EF. pose proof (HA _ _ (sign_vote s B L E1 EV EF)) as HL.
    unfold sec2 in E2, HL. rewrite EV in E2. rewrite !andb_true_iff in E2, HL.
    destruct E2 as [[_ E2] _], HL as [[HL _] _]. rewrite E2, andb_true_l in HL.
    destruct (2 <=? round L) eqn:ER.
    + rewrite HL, !orb_true_r. reflexivity.
    + apply Nat.leb_gt in ER. rewrite (proj2 (Nat.leb_le (round L) 1)) by lia. rewrite orb_true_r. reflexivity.
  - destruct (memb B (net s)); [|discriminate]. injection H as <-. auto.
  - destruct (sec2 B) eqn:E; [|discriminate]. split; auto.
    destruct (acceptable (flr s p) (hld s p) (acc s p) B); [|discriminate]. injection H as <-.
    intros q L. simpl. unfold upd. destruct (q =? p); [intros [<-|HL]; [exact E|]|intros HL]; eapply HA; exact HL.
  - injection H as <-. split; auto.
Qed.
Theorem spec_reach_reach s : spec_reach s -> reach s.
Proof.
  intros [es H]. exists es. assert (HA : all_sec2 init) by (intros p L []). revert HA H.
  generalize init as s0. induction es as [|e t IH]; simpl; intros s0 HA H; auto.
  destruct (spec_exec s0 e) as [s1|] eqn:E; [|discriminate].
  destruct (spec_exec_exec s0 e s1 HA E) as [E1 HA1]. rewrite E1. auto.
Qed.

Definition by_schedule (r : nat) (L : Blk) : bool := author L =? leader r.
(* no two nodes or observers of one run, at any times before s, decide a slot differently ... *)
Theorem spec_agreement s s1 s2 p q top top' r :
  spec_reach s1 -> spec_reach s2 -> later s1 s -> later s2 s ->
  decide by_schedule (view_of s1 p) top r <> Undecided ->
  decide by_schedule (view_of s2 q) top' r <> Undecided ->
  decide by_schedule (view_of s1 p) top r = decide by_schedule (view_of s2 q) top' r.
Proof. intros H1 H2. apply agreement_nodes; apply spec_reach_reach; auto. Qed.
(* ... and the ledger of one is a prefix of the other's *)
Theorem spec_ledger dl s p q top top' : spec_reach s ->
  let ledger p top := deliver dl [] (leaders (fun _ => by_schedule) (view_of s p) top) in
  prefix (ledger p top) (ledger q top') \/ prefix (ledger q top') (ledger p top).
Proof.
  intros H. apply (ledger_prefix dl (fun _ => by_schedule) s); [apply spec_reach_reach; auto| |];
  apply (reach_inv s (spec_reach_reach s H)).
Qed.
End Spec.
Print Assumptions spec_agreement.
Print Assumptions spec_ledger.

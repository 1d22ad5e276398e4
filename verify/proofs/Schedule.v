(* A schedule of leaders that follows from decisions K slots back, for every K: agreement holds for both rules. And
   why what was decided above such a decision is decided anew. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Model Proof Teeth TwoDelay TwoDelayForms.

Section Ahead.
Context {P : Params} {BT : Blocks}.
(* rule l r: who may lead slot r, from the statuses l of the slots 1, 2, .. A node that has decided l knows of slot r
   what the slots up to r-K-1 say, as far as l goes: one whole schedule, also for slots far above. *)
Definition ahead (K : nat) (rule : list status -> nat -> Blk -> bool) (l : list status) (r : nat) : Blk -> bool :=
  rule (firstn (r - 1 - K) l) r.
Theorem lookahead_ledger {LG : Legal P} K rule dl s V V' top top' :
  reach s -> valid_view (net s) V -> valid_view (net s) V' ->
  prefix (deliver dl [] (leaders (ahead K rule) V top)) (deliver dl [] (leaders (ahead K rule) V' top')) \/
  prefix (deliver dl [] (leaders (ahead K rule) V' top')) (deliver dl [] (leaders (ahead K rule) V top)).
Proof. apply ledger_prefix. Qed.
Theorem lookahead_two_delay {FP : FParams} {KT : Kills BT} {LG : Legal P} {FL : FLegal P FP} {w} {HW : Heavy w}
  K rule dl e s1 s2 p q top top' : freach s1 -> freach s2 -> flater s1 e -> flater s2 e ->
  prefix (ledger_by (fdecide (pick_heavy w)) dl (ahead K rule) s1 p top)
         (ledger_by (fdecide (pick_heavy w)) dl (ahead K rule) s2 q top') \/
  prefix (ledger_by (fdecide (pick_heavy w)) dl (ahead K rule) s2 q top')
         (ledger_by (fdecide (pick_heavy w)) dl (ahead K rule) s1 p top).
Proof. apply two_delay_ledger. Qed.

(* One pass: a node keeps all that it decided when it looked, though a decision among it changed the leaders above. *)
Fixpoint decided_ones (l : list status) : list status :=
  match l with [] => [] | Undecided :: _ => [] | x :: t => x :: decided_ones t end.
Definition one_pass sched (looks : list (view * nat)) : list status :=
  fold_left (fun l Vt => l ++ decided_ones (table (sched l) (fst Vt) (snd Vt - length l) (S (length l)))) looks [].
End Ahead.

(* Teeth.v's good run. A commit of slot 1 takes slot 3 from its leader, so the look-ahead is one slot. One node looks
   when slot 1 can be decided and again at the end, the other at the end alone. *)
Definition takes_3 (l : list (@status (tb T_good))) (r : nat) (L : @Blk (tb T_good)) : bool :=
  match l with Commit _ :: _ => negb (r =? 3) | _ => true end && sch T_good ld_good r L.
(* what two nodes have of the slots 1 to 3: by `rule` from two looks, and from one *)
Definition looks (rule : list (@view (tb T_good) * nat) -> list (@status (tb T_good))) : option (list stat * list
  stat) :=
  match play P_good T_good init (script P_good T_good [6; 7; 8] (seq 0 27)) with
  | Some s => let early := (@view_of (tb T_good) s 5, 9) in let late := (@view_of (tb T_good) s 6, 9) in
              Some (map (of T_good) (firstn 3 (rule [early; late])), map (of T_good) (firstn 3 (rule [late])))
  | None => None end.
Theorem fork_one_pass :
  looks (one_pass (P := P_good) (ahead 1 takes_3)) = Some ([XC 0; XC 4; XS], [XC 0; XC 4; XC 8]).
Proof. vm_compute. reflexivity. Qed.
Theorem decided_anew :
  looks (kept (P := P_good) (ahead 1 takes_3)) = Some ([XC 0; XC 4; XS], [XC 0; XC 4; XS]).
Proof. vm_compute. reflexivity. Qed.
Print Assumptions lookahead_ledger.
Print Assumptions lookahead_two_delay.
Print Assumptions fork_one_pass.
Print Assumptions decided_anew.

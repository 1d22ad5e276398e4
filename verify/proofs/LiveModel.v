(* Timed runs of Model.v: what the flagship's pacemaker, pulls and network promise once messages take at most Delta.
   Every law is a computation over a run that ends at some instant `hz`: what is due later is not judged. So a law can be
   checked of a run inside Coq (LiveTeeth.v) and by a monitor of the simulator's runs (tests/property/dag).
   Units: instants and delays are natural numbers of any size. The time that a node itself takes is not counted. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Model.

(* Written with `if`, since the virtual machine evaluates both sides of a function. *)
Notation imp x y := (if x then y else true).
Notation both_of x y := (if x then y else false).
Notation either_of x y := (if x then true else y).

(* ---------- a run with a clock ---------- *)
Class Timing {P : Params} {BT : Blocks} := {
  after : nat -> state;            (* the state after so many steps *)
  time : nat -> nat;               (* when a step was made *)
  len : nat;                       (* steps *)
  hz : nat;                        (* the last instant that is judged *)
  expects : nat -> nat -> nat;     (* node, round: who leads it, as this node sees it *)
  out : nat -> bool;               (* proven to equivocate, as all correct nodes know *)
  wait : nat -> nat -> nat;        (* node, round: its time-out there *)
  m : nat;                         (* weight of blocks that completes a round *)
  GST : nat; Delta : nat;
  ask : nat;                       (* from needing a block until it is here, when a correct node accepted what needs it *)
  prove : nat;                     (* the same for the evidence of a claim *)
  fetch : nat;                     (* the same for the blocks of a round that others have left *)
  owed : nat;                      (* what liars hid costs at most so much to ask for, below any one block *)
  T : nat;                         (* correct leaders are waited for so long at least *)
  longest : nat;                   (* and nobody for longer than this *)
  slot : nat                       (* the slot that is spoken of *)
}.

Section Laws.
Context {P : Params} {BT : Blocks} {TM : Timing}.

(* steps made up to instant t, of the first k *)
Fixpoint made (k t : nat) : nat :=
  match k with 0 => 0 | S j => if time j <=? t then k else made j t end.
Definition upto (t : nat) : nat := made len t.
Definition at_ (t : nat) : state := after (upto t).

(* ---------- quantifiers over what the run contains ---------- *)
Definition all_nodes (q : nat -> bool) : bool := forallb (fun x => either_of (byz x) (q x)) (seq 0 N).      (* correct ones *)
Definition all_times (q : nat -> state -> bool) : bool := forallb (fun t => q t (at_ t)) (seq 0 (S hz)).
Definition all_steps (q : nat -> bool) : bool := forallb q (seq 0 len).
Definition all_blocks (q : Blk -> bool) : bool := forallb q (net (after len)).
(* step i is the one in which correct node `author B` signs B *)
Definition signs (i : nat) (B : Blk) : bool :=
  (author B <? N) && negb (byz (author B)) && memb B (net (after (S i))) && negb (memb B (net (after i))).
Definition all_signed (q : nat -> Blk -> bool) : bool :=
  all_steps (fun i => all_blocks (fun B => imp (signs i B) (q i B))).

(* ---------- what a node sees ---------- *)
Definition entered (s : state) (p k : nat) : bool :=
  (k =? 0) || existsb (fun B => (author B =? p) && (round B =? k)) (net s).
Definition beyond (s : state) (p k : nat) : bool := existsb (fun B => (author B =? p) && (k <? round B)) (net s).
Definition settled (s : state) (x : nat) (B : Blk) : bool := (round B <=? flr s x) || memb B (acc s x).
Definition counts (k : nat) (B : Blk) : bool := (round B =? k) && negb (out (author B)).
Definition complete (s : state) (p k : nat) : bool := (k =? 0) || (m <=? wgt (acc s p) (counts k)).
(* an accepted block of whom p takes for the leader of round k, that may be voted for *)
Definition led (s : state) (p k : nat) (L : Blk) : bool :=
  memb L (acc s p) && (round L =? k) && (author L =? expects p k) && ((k <=? 1) || dense L).
Definition certified_here (s : state) (p k : nat) : bool :=
  existsb (fun L => (round L =? k) && evidence (hld s p) k L) (net s).
Definition impossible (s : state) (p k : nat) : bool :=
  forallb (fun L => negb (round L =? k)
                    || (votes (hld s p) k L + total <? v + wgt (acc s p) (fun B => round B =? k + 1))) (net s).
(* the exits of a round ("Moving on"): i is the number of steps made, now the time *)
Definition exit_seen (s : state) (p k : nat) : bool :=
  existsb (led s p k) (net s) && ((k <=? 1) || certified_here s p (k - 1) || impossible s p (k - 1)).
Definition exit_left (s : state) (p k : nat) : bool := f + 1 <=? wgt (acc s p) (fun B => round B =? k + 1).
Definition exit_time (i now p k : nat) : bool :=
  existsb (fun j => (time j + wait p k <=? now) && entered (after (S j)) p k && complete (after (S j)) p k) (seq 0 i).

(* What it costs x to accept B, question after question: first the blocks below it, all at once, then the evidence of
   its claim. A question is asked for nothing that is held. *)
Fixpoint cost (s : state) (x k : nat) (B : Blk) : nat :=
  if settled s x B then 0 else
  match k with
  | 0 => S owed
  | S k' => fold_right Nat.max 0
              (map (fun e => (if settled s x e || memb e (hld s x) then 0 else ask) + cost s x k' e) (edges B))
            + (if evid_ok (flr s x) (hld s x) B then 0 else prove)
  end.

(* ---------- the laws ---------- *)
(* What a correct node signs: admission.cpp, pacemaker.cpp *)
Definition law_order := all_signed (fun i B => entered (after i) (author B) (round B - 1)).
Definition law_leave := all_signed (fun i B =>
  let k := round B - 1 in let p := author B in
  (k =? 0) || (complete (after i) p k
               && (exit_seen (after i) p k || exit_left (after i) p k || exit_time i (time i) p k))).
Definition law_vote := all_signed (fun i B => all_blocks (fun L =>
  imp (led (after i) (author B) (round B - 1) L && (round B =? slot + 1)) (is (vote B) L))).
Definition law_claim := all_signed (fun i B => all_blocks (fun L =>
  imp (memb L (acc (after i) (author B)) && (round B =? round L + 2) && evidence (hld (after i) (author B)) (round L) L)
      (is (claim B) L))).
Definition law_dense := all_signed (fun i B =>
  imp ((author B =? expects (author B) (round B)) && (2 <=? round B))
      (forallb (fun q => imp (has (acc (after i) (author B)) (counts (round B - 1)) q)
                             (has (parents B) (fun Q => round Q + 1 =? round B) q)) (seq 0 N))).
(* What a correct node does as soon as it may *)
Definition law_accept := all_times (fun t s => all_nodes (fun x => all_blocks (fun B =>
  imp (both_of (GST <=? t) (both_of (memb B (hld s x)) (both_of (negb (memb B (acc s x)))
        (acceptable (flr s x) (hld s x) (acc s x) B)))) (memb B (acc s x))))).
Definition law_move := all_times (fun t s => all_nodes (fun x => forallb (fun k =>
  imp (both_of (GST <=? t) (both_of (negb (beyond s x k)) (both_of (entered s x k && complete s x k)
         (either_of (exit_left s x k) (exit_time (upto t) t x k))))) (beyond s x k)) (seq 0 (slot + 2)))).
Definition law_floor := forallb (fun i => all_nodes (fun x => forallb (fun k =>
  imp (k <=? flr (after i) x) (entered (after i) x (k + 2))) (seq 1 (slot + 2)))) (seq 0 (S len)).
Definition law_wait := all_nodes (fun x =>
  (T <=? wait x slot) && (T <=? wait x (slot + 1)) && (wait x slot <=? longest) && (wait x (slot + 1) <=? longest)).
Definition law_same := all_nodes (fun x => all_nodes (fun y => expects x slot =? expects y slot)).
Definition law_honest := all_nodes (fun x => negb (out x)).
(* What the network and the answers of correct nodes bring *)
Definition law_push := all_signed (fun i B => memb B (acc (at_ (time i)) (author B))
  && imp ((GST <=? time i) && (time i + Delta <=? hz)) (all_nodes (fun x => memb B (hld (at_ (time i + Delta)) x)))).
Definition both (q : nat -> state -> nat -> nat -> Blk -> bool) : bool :=   (* x lacks what p accepted *)
  all_times (fun t s => all_nodes (fun x => all_nodes (fun p => all_blocks (fun B =>
    imp (both_of (GST <=? t) (both_of (memb B (hld s x)) (both_of (negb (settled s x B)) (memb B (acc s p)))))
        (q t s x p B))))).
Definition law_kept := both (fun t s x p B =>
  forallb (fun e => memb e (acc s p) || (round e <=? flr s x)) (edges B)).
Definition law_ask := both (fun t s x p B => imp (t + ask <=? hz)
  (forallb (fun e => imp (memb e (acc s p))
                         (memb e (hld (at_ (t + ask)) x) || (round e <=? flr (at_ (t + ask)) x))) (edges B))).
Definition law_prove := both (fun t s x p B => imp ((t + prove <=? hz) && forallb (settled s x) (edges B))
  (evid_ok (flr (at_ (t + prove)) x) (hld (at_ (t + prove)) x) B)).
Definition law_owed := both (fun t s x p B => cost s x (round B) B <=? owed).
Definition law_fetch := all_times (fun t s => all_nodes (fun x => all_nodes (fun p => all_blocks (fun B =>
  imp (both_of ((GST <=? t) && (t + fetch <=? hz)) (both_of (memb B (acc s p))
        (both_of (negb (entered s x (S (round B)))) (both_of (has (hld s x) (fun B' => round B <? round B') p)
          (f + 1 <=? wgt (hld s x) (fun B' => round B <? round B'))))))
      (memb B (hld (at_ (t + fetch)) x) || (round B <=? flr (at_ (t + fetch)) x)))))).

(* All correct nodes are in a round so long after the first f + 1 of them, at most. *)
Definition spread : nat := Delta + fetch + owed.
(* A leader's block is accepted everywhere so long after the first f + 1 correct nodes are in its round. *)
Definition heard : nat := spread + Delta + owed.
(* A round that no exit but the time-out ends lasts so long. *)
Definition lasts : nat := heard + longest.
(* From then on the slot is committed everywhere. *)
Definition commits : nat := lasts + lasts + Delta.

(* Weights that are live: correct nodes alone reach them, and a complete round holds f + 1 of correct nodes. *)
Definition law_live : bool := (v + f <=? total) && (c + f <=? total) && (m + f <=? total).
Definition law_complete : bool := (d <=? m) && (f + f + 1 <=? m).
Definition law_patience : bool := heard <? T.

(* some weight f + 1 of correct nodes is in round k *)
Definition begun (s : state) (k : nat) : bool := f + 1 <=? wsum wt (fun p => negb (byz p) && entered s p k) N.
Definition begins (k E : nat) : Prop := begun (at_ E) k = true /\ forall t, begun (at_ t) k = true -> E <= t.
End Laws.

(* The structure of a run is no hypothesis: any events of Model.v, in the order of time. *)
Class Clocked {P : Params} {BT : Blocks} (TM : Timing) : Prop := {
  starts : after 0 = init;
  stepped : forall i, i < len -> later (after i) (after (S i));
  ordered : forall i j, i <= j -> j < len -> time i <= time j
}.

Class Live {P : Params} {BT : Blocks} (TM : Timing) : Prop := {
  Llive : law_live = true;
  Lcomplete : law_complete = true;
  Lpatience : law_patience = true;
  Lwait : law_wait = true;
  Lsame : law_same = true;
  Lhonest : law_honest = true;
  Lorder : law_order = true;
  Lleave : law_leave = true;
  Lvote : law_vote = true;
  Lclaim : law_claim = true;
  Ldense : law_dense = true;
  Laccept : law_accept = true;
  Lmove : law_move = true;
  Lfloor : law_floor = true;
  Lpush : law_push = true;
  Lkept : law_kept = true;
  Lask : law_ask = true;
  Lprove : law_prove = true;
  Lowed : law_owed = true;
  Lfetch : law_fetch = true
}.

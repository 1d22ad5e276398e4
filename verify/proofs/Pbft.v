(* PBFT without signatures, one slot: agreement across view changes (docs/protocols/pbft.md; Castro and Liskov 2002,
   section 4.5). Slots do not interact: what a view change says of one slot is judged without the others.
   A value is a number. View changes travel by reliable broadcast, so that all nodes judge the same one of a node and
   view: `changes` is one function, also of what Byzantine nodes say. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight.

Class PParams := {
  N : nat;                       (* nodes 0..N-1 *)
  wt : nat -> nat;               (* stake *)
  f : nat;
  q : nat;                       (* votes that prepare and commit; claims that a new view starts from and that agree *)
  a : nat;                       (* claims to have seen a value proposed; reports of a decision *)
  byz : nat -> bool;
  rule_leave : bool;             (* who asked for a view votes in no view before it *)
  rule_agree : bool;             (* a prepared value is chosen only if a quorum of claims agrees *)
  rule_choose : bool             (* what is accepted in a later view is what its start chooses *)
}.
Definition total {P : PParams} : nat := wsum wt (fun _ => true) N.
Class PLegal (P : PParams) : Prop := {
  byz_le : wsum wt byz N <= f;
  Aq : total + f + 1 <= q + q;
  Aa : f + 1 <= a;
  Hleave : rule_leave = true;
  Hagree : rule_agree = true;
  Hchoose : rule_choose = true
}.

Section Rules.
Context {P : PParams}.

Record vote := mkvote { who : nat; view : nat; val : nat }.
(* what a node says of the slot when it leaves for a view: the view in which it last prepared (0: never) and the value,
   and the values that it accepted, each with a view *)
Record claim := mkclaim { pview : nat; pval : nat; seen : list (nat * nat) }.
Record state := mkst {
  cur : nat -> nat;                         (* the view of a correct node *)
  preps : list vote;                        (* prepare votes ever sent; a correct node's is its acceptance *)
  coms : list vote;                         (* commit votes ever sent *)
  changes : nat -> nat -> option claim;     (* by view, then by node *)
  done : list (nat * nat)                   (* node, value decided; of correct nodes and observers (>= N) *)
}.

Definition voted (l : list vote) (v x p : nat) : bool :=
  existsb (fun m => (who m =? p) && (view m =? v) && (val m =? x)) l.
Definition weight (l : list vote) (v x : nat) : nat := wsum wt (voted l v x) N.
Definition spoke (l : list vote) (v p : nat) : bool := existsb (fun m => (who m =? p) && (view m =? v)) l.

(* the view start: a set T of nodes whose changes are there, given as a predicate *)
Definition agrees (v pv x : nat) (T : nat -> bool) (ch : nat -> option claim) (p : nat) : bool :=
  T p && match ch p with
         | Some k => (pview k <? pv) || ((pview k =? pv) && (pval k =? x))
         | None => false end.
Definition saw (pv x : nat) (T : nat -> bool) (ch : nat -> option claim) (p : nat) : bool :=
  T p && match ch p with
         | Some k => existsb (fun e => (fst e =? x) && (pv <=? snd e)) (seen k)
         | None => false end.
Definition none (T : nat -> bool) (ch : nat -> option claim) (p : nat) : bool :=
  T p && match ch p with Some k => pview k =? 0 | None => false end.
(* Some p's claim names x, prepared in pv: `choose_slot` of the program *)
Definition chooses (v : nat) (T : nat -> bool) (ch : nat -> option claim) (p x : nat) : bool :=
  T p && match ch p with
         | Some k => (1 <=? pview k) && (pval k =? x)
                     && (negb rule_agree || (q <=? wsum wt (agrees v (pview k) x T ch) N))
                     && (a <=? wsum wt (saw (pview k) x T ch) N)
         | None => false end.
Definition free (T : nat -> bool) (ch : nat -> option claim) : bool := q <=? wsum wt (none T ch) N.

(* What a correct node says: the last vote it prepared, all that it accepted. *)
Definition own (l : list vote) (p : nat) : list vote := filter (fun m => who m =? p) l.
Definition last_prepared (l : list vote) (p : nat) : nat * nat :=
  fold_right (fun m best => if fst best <? view m then (view m, val m) else best) (0, 0) (own l p).
Definition honest (s : state) (p : nat) : claim :=
  let best := last_prepared (coms s) p in
  mkclaim (fst best) (snd best) (map (fun m => (val m, view m)) (own (preps s) p)).

Inductive event :=
| EByzPrepare (m : vote) | EByzCommit (m : vote) | EByzChange (p v : nat) (k : claim)
| EAccept (p v x : nat) (T : nat -> bool) (by_ : nat)   (* T, by_: the start of a view above 1 *)
| EPrepared (p v x : nat)
| EMove (p v : nat)
| EDecide (p v x : nat)
| ETold (p x : nat) (T : nat -> bool).

Definition set2 (ch : nat -> nat -> option claim) (v p : nat) (k : claim) : nat -> nat -> option claim :=
  fun v' p' => if (v' =? v) && (p' =? p) then Some k else ch v' p'.
Definition correct (p : nat) : bool := (p <? N) && negb (byz p).
(* claims about the future are refused: read_claim of the program *)
Definition past (v : nat) (k : claim) : bool :=
  (pview k <? v) && forallb (fun e => snd e <? v) (seen k).

Definition started (s : state) (v x : nat) (T : nat -> bool) (by_ : nat) : bool :=
  (v =? 1) || negb rule_choose || chooses v T (changes s v) by_ x || free T (changes s v).

Definition exec (s : state) (e : event) : option state :=
  match e with
  | EByzPrepare m => if byz (who m) then Some (mkst (cur s) (m :: preps s) (coms s) (changes s) (done s)) else None
  | EByzCommit m => if byz (who m) then Some (mkst (cur s) (preps s) (m :: coms s) (changes s) (done s)) else None
  | EByzChange p v k =>
      if byz p && past v k && match changes s v p with None => true | _ => false end
      then Some (mkst (cur s) (preps s) (coms s) (set2 (changes s) v p k) (done s)) else None
  | EAccept p v x T by_ =>
      if correct p && (1 <=? v) && ((cur s p =? v) || negb rule_leave) && negb (spoke (preps s) v p)
         && started s v x T by_
      then Some (mkst (cur s) (mkvote p v x :: preps s) (coms s) (changes s) (done s)) else None
  | EPrepared p v x =>
      if correct p && ((cur s p =? v) || negb rule_leave) && voted (preps s) v x p && (q <=? weight (preps s) v x)
      then Some (mkst (cur s) (preps s) (mkvote p v x :: coms s) (changes s) (done s)) else None
  | EMove p v =>
      if correct p && (cur s p <? v)
      then Some (mkst (fun p' => if p' =? p then v else cur s p') (preps s) (coms s)
                      (set2 (changes s) v p (honest s p)) (done s)) else None
  | EDecide p v x =>
      if (negb (byz p) || (N <=? p)) && (q <=? weight (coms s) v x)
      then Some (mkst (cur s) (preps s) (coms s) (changes s) ((p, x) :: done s)) else None
  | ETold p x T =>     (* enough nodes say that x was decided; the correct ones among them decided it *)
      if (negb (byz p) || (N <=? p)) && (a <=? wsum wt T N)
         && forallb (fun i => negb (T i) || byz i || existsb (fun d => (fst d =? i) && (snd d =? x)) (done s)) (seq 0 N)
      then Some (mkst (cur s) (preps s) (coms s) (changes s) ((p, x) :: done s)) else None
  end.
Fixpoint run (s : state) (es : list event) : option state :=
  match es with [] => Some s | e :: t => match exec s e with Some s' => run s' t | None => None end end.
Definition init : state := mkst (fun _ => 1) [] [] (fun _ _ => None) [].
Definition reach (s : state) : Prop := exists es, run init es = Some s.
End Rules.

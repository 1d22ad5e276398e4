(* The certified family without a coin, docs/protocols/anchored.md: who votes for what (R1 to R4, with the gate), what a
   node accepts, how it orders and delivers (R5, R6), garbage collection, and taking over the log of others. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight.

Class CParams := {
  members : nat;                 (* nodes 0..members-1 *)
  stake : nat -> nat;            (* all 1 for the plain protocol *)
  faults : nat;                  (* bound on the total Byzantine stake *)
  byz : nat -> bool;
  leader : nat -> nat;           (* author of the anchor of an even round *)
  certify : nat;                 (* votes of a certificate *)
  complete : nat;                (* vertices of the round before that open a round for votes *)
  dense : nat;                   (* parents of a dense vertex *)
  commit : nat;                  (* votes that commit an anchor directly *)
  depth : nat;                   (* G: rounds below the last ordered anchor that are kept *)
  all_dense : bool;              (* `bullshark`: every vertex is dense; `anchored-bullshark`: anchors are *)
  rule_rising : bool;            (* R2: a correct node votes for one author in rising rounds *)
  rule_gate : bool;              (* R2: and holds a complete round before *)
  rule_refs : bool;              (* R2: and every vertex that the header names *)
  rule_self : bool;              (* R1: a header names its author's latest vertex *)
  rule_chain : bool;             (* R4: an author waits for its certificate before its next header *)
  rule_closed : bool;            (* a vertex is accepted after what it names *)
  rule_floor : bool              (* what is forgotten lies G rounds below the last ordered anchor *)
}.
Definition total {P : CParams} : nat := wsum stake (fun _ => true) members.

Class CLegal (P : CParams) : Prop := {
  byz_le : wsum stake byz members <= faults;
  C1 : total + faults + 1 <= certify + certify;
  C2 : total + (if all_dense then 0 else faults) + 1 <= commit + dense;
  Hrising : rule_rising = true;
  Hself : rule_self = true;
  Hchain : rule_chain = true;
  Hclosed : rule_closed = true;
  Hfloor : rule_floor = true
}.

(* A header names others by author and round: that a name belongs to one certified vertex is a theorem. *)
Definition name : Type := nat * nat.
Class Vertices := {
  Vtx : Type; veq_dec : forall x y : Vtx, {x = y} + {x <> y};
  va : Vtx -> nat; vr : Vtx -> nat;
  vself : Vtx -> option nat;     (* round of the author's latest earlier vertex *)
  vrefs : Vtx -> list name       (* parents, in the round before, and stragglers *)
}.

Section Rules.
Context {P : CParams} {VT : Vertices}.

Definition nm (x : Vtx) : name := (va x, vr x).
Definition named (n : name) (x : Vtx) : bool := (va x =? fst n) && (vr x =? snd n).
Definition memv (x : Vtx) (X : list Vtx) : bool := if in_dec veq_dec x X then true else false.
Definition memn (n : name) (X : list name) : bool :=
  existsb (fun m => (fst m =? fst n) && (snd m =? snd n)) X.
Definition names (x : Vtx) : list name :=
  match vself x with Some r => [(va x, r)] | None => [] end ++ vrefs x.
Definition at_ (D : list Vtx) (n : name) : option Vtx := find (named n) D.
Definition here (D : list Vtx) (n : name) : bool := existsb (named n) D.

(* R5: anchors stand in even rounds. R1: which vertices have many parents. *)
Definition is_anchor (x : Vtx) : bool := (va x =? leader (vr x)) && Nat.even (vr x) && (2 <=? vr x).
Definition must_be_dense (x : Vtx) : bool := (2 <=? vr x) && (all_dense || is_anchor x).
Definition vvalid (x : Vtx) : bool :=
  (va x <? members) && (1 <=? vr x) && forallb (fun n => snd n <? vr x) (names x)
  && (negb (must_be_dense x) || (dense <=? wsum stake (fun a => memn (a, vr x - 1) (vrefs x)) members)).

(* ---------- orders ---------- *)
(* the vertices reached from x in C over names that pass a test, x itself included *)
Inductive hist (C : list Vtx) (ok : name -> bool) (x : Vtx) : Vtx -> Prop :=
| h_refl : hist C ok x x
| h_step y z : hist C ok x y -> In z C -> In (nm z) (names y) -> ok (nm z) = true -> hist C ok x z.
Fixpoint histl (D : list Vtx) (ok : name -> bool) (k : nat) (x : Vtx) : list Vtx :=
  match k with
  | 0 => []
  | S k' => x :: flat_map (histl D ok k') (filter (fun z => ok (nm z) && memn (nm z) (names x)) D)
  end.
Definition above (lo : nat) (n : name) : bool := lo <? snd n.
Definition reaches (D : list Vtx) (lo : nat) (x y : Vtx) : bool := memv y (histl D (above lo) (S (vr x)) x).

(* the anchors of rounds lo+1 .. r that a walk back from x takes, oldest first *)
Fixpoint walk (D : list Vtx) (lo r : nat) (x : Vtx) : list Vtx :=
  match r with
  | 0 => []
  | S r' =>
      if r <=? lo then [] else
      match find (fun y => is_anchor y && (vr y =? r)) D with
      | Some y => if reaches D lo x y then walk D lo r' y ++ [y] else walk D lo r' x
      | None => walk D lo r' x
      end
  end.
Definition chain (D : list Vtx) (lo : nat) (x : Vtx) : list Vtx := walk D lo (vr x - 1) x ++ [x].

(* what the anchor x delivers after `done`: its history down to G rounds below it, as far as it was not delivered,
   by round and author. The search does not go on behind what was delivered. *)
Definition fresh (x : Vtx) (done : list Vtx) (n : name) : bool :=
  (vr x <=? snd n + depth) && negb (here done n).
Definition grid (lo hi : nat) : list name :=
  flat_map (fun r => map (fun a => (a, r)) (seq 0 members)) (seq lo (S hi - lo)).
Definition collect (D done : list Vtx) (x : Vtx) : list Vtx :=
  let H := histl D (fresh x done) (S (vr x)) x in
  flat_map (fun n => match at_ H n with Some y => [y] | None => [] end) (grid (vr x - depth) (vr x)).
Definition entry : Type := Vtx * list Vtx.      (* an ordered anchor, and what it delivers *)
Fixpoint deliver (D done : list Vtx) (l : list Vtx) : list entry :=
  match l with
  | [] => []
  | x :: t => (x, collect D done x) :: deliver D (done ++ collect D done x) t
  end.
Definition anchors (l : list entry) : list Vtx := map fst l.
Definition ledger (l : list entry) : list Vtx := flat_map snd l.
(* the last of a list, or a before it; its round *)
Fixpoint endof (a : option Vtx) (l : list Vtx) : option Vtx :=
  match l with [] => a | b :: t => endof (Some b) t end.
Definition lowof (a : option Vtx) : nat := match a with Some x => vr x | None => 0 end.
Definition last_round (l : list entry) : nat := lowof (endof None (anchors l)).

(* ---------- runs: any interleaving of these events ---------- *)
Record state := mkst { votes : list (nat * Vtx);     (* who signed which header; the author's signature is a vote *)
                       cert : list Vtx;              (* certified vertices *)
                       acc : nat -> list Vtx;        (* what a node accepted. Nothing leaves: what is at or below the
                                                        floor is kept for others (the attic) and decides nothing *)
                       log : nat -> list entry;
                       flr : nat -> nat }.           (* rounds up to it are garbage to a node *)
Inductive event :=
| EVote (p : nat) (x : Vtx)
| ECert (x : Vtx)
| EAccept (p : nat) (x : Vtx)          (* p: a member, or an observer p >= members *)
| EOrder (p : nat) (x : Vtx)           (* p orders the anchor x, which has its votes, and those below *)
| EFloor (p k : nat)
| EAdopt (p q k : nat).                (* p takes over the first k entries of q's log: f+1 peers vouched for them *)

Definition upd {A} (g : nat -> A) (p : nat) (x : A) : nat -> A := fun q => if q =? p then x else g q.
Definition voted (s : state) (x : Vtx) (p : nat) : bool :=
  existsb (fun e => (fst e =? p) && if veq_dec (snd e) x then true else false) (votes s).
Definition headers (s : state) (p : nat) : list Vtx :=     (* those that p signed as their author *)
  map snd (filter (fun e => (fst e =? p) && (va (snd e) =? p)) (votes s)).
Definition own (s : state) (p : nat) : list Vtx := filter (fun x => va x =? p) (cert s).
Definition settled (fl : nat) (D : list Vtx) (n : name) : bool := (snd n <=? fl) || here D n.
Definition of_round (D : list Vtx) (r : nat) : nat := wsum stake (fun a => here D (a, r)) members.

Definition rising (s : state) (p : nat) (x : Vtx) : bool :=
  forallb (fun e => negb ((fst e =? p) && (va (snd e) =? va x)) || (vr (snd e) <? vr x)) (votes s).
Definition gate_open (s : state) (p : nat) (x : Vtx) : bool :=
  (vr x <=? 1) || (vr x - 1 <=? flr s p) || (complete <=? of_round (acc s p) (vr x - 1)).
Definition refs_here (s : state) (p : nat) (x : Vtx) : bool := forallb (settled (flr s p) (acc s p)) (names x).
Definition names_latest (s : state) (p : nat) (x : Vtx) : bool :=
  match vself x with
  | None => match own s p with [] => true | _ => false end
  | Some r => here (own s p) (p, r) && forallb (fun y => vr y <=? r) (own s p)
  end.
Definition may_vote (s : state) (p : nat) (x : Vtx) : bool :=
  vvalid x && (negb rule_rising || rising s p x) && (negb rule_gate || gate_open s p x)
  && (negb rule_refs || refs_here s p x)
  && (negb (va x =? p) ||
      ((negb rule_chain || forallb (fun y => memv y (cert s)) (headers s p))
       && (negb rule_self || names_latest s p x))).
(* R3: a quorum, and the author's own signature, which nobody else can give for a correct node *)
Definition may_certify (s : state) (x : Vtx) : bool :=
  (certify <=? wsum stake (voted s x) members) && (byz (va x) || voted s x (va x)).
Definition acceptable (s : state) (p : nat) (x : Vtx) : bool :=
  memv x (cert s) && (negb rule_closed || memv x (ledger (log s p)) || forallb (settled (flr s p) (acc s p)) (names x)).
Definition avotes (D : list Vtx) (x : Vtx) : nat :=
  wsum stake (fun a => existsb (fun y => (va y =? a) && (vr y =? vr x + 1) && memn (nm x) (names y)) D) members.
Definition may_order (s : state) (p : nat) (x : Vtx) : bool :=
  memv x (acc s p) && is_anchor x && (last_round (log s p) <? vr x) && (commit <=? avotes (acc s p) x).

Definition exec (s : state) (e : event) : option state :=
  match e with
  | EVote p x => if byz p || may_vote s p x
                 then Some (mkst ((p, x) :: votes s) (cert s) (acc s) (log s) (flr s)) else None
  | ECert x => if may_certify s x then Some (mkst (votes s) (x :: cert s) (acc s) (log s) (flr s)) else None
  | EAccept p x => if acceptable s p x
                   then Some (mkst (votes s) (cert s) (upd (acc s) p (x :: acc s p)) (log s) (flr s)) else None
  | EOrder p x => if may_order s p x
                  then let new := deliver (acc s p) (ledger (log s p)) (chain (acc s p) (last_round (log s p)) x) in
                       Some (mkst (votes s) (cert s) (acc s) (upd (log s) p (log s p ++ new)) (flr s)) else None
  | EFloor p k => if negb rule_floor || (k + depth <=? last_round (log s p))
                  then Some (mkst (votes s) (cert s) (acc s) (log s) (upd (flr s) p (Nat.max k (flr s p)))) else None
  | EAdopt p q k => if length (log s p) <=? length (firstn k (log s q))
                    then Some (mkst (votes s) (cert s) (acc s) (upd (log s) p (firstn k (log s q))) (flr s)) else None
  end.
Fixpoint run (s : state) (es : list event) : option state :=
  match es with [] => Some s | e :: t => match exec s e with Some s' => run s' t | None => None end end.
Definition init : state := mkst [] [] (fun _ => []) (fun _ => []) (fun _ => 0).
Definition reach (s : state) : Prop := exists es, run init es = Some s.
Definition later (s s' : state) : Prop := exists es, run s es = Some s'.
End Rules.

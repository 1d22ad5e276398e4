(* The flagship DAG protocol: model, P1..P4, agreement (P5), the executable rule, prefix agreement.
   The rules are those of docs/protocols/thresher.md. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight.

(* ---------- parameters ---------- *)
Class Params := {
  N : nat;                       (* committee size: nodes 0..N-1 *)
  wt : nat -> nat;               (* stake; all 1 for the plain protocol *)
  f : nat;                       (* bound on the total Byzantine stake *)
  v : nat; b : nat; c : nat; d : nat; a : nat;   (* thresholds: vote, skip, commit, dense, amplify *)
  byz : nat -> bool;             (* who is Byzantine *)
  gap : nat;                     (* anchors are searched from round r+gap: 3 *)
  rule_dense : bool;             (* correct nodes vote for dense blocks only *)
  rule_self : bool;              (* correct nodes chain their blocks by self edges *)
  rule_check : bool;             (* receivers check a claim's evidence *)
  rule_stop : bool;              (* the anchor search stops at Undecided *)
  rule_wait : bool               (* ... and at a leader committed but not yet accepted *)
}.

Definition total {P : Params} : nat := wsum wt (fun _ => true) N.

Class Legal (P : Params) : Prop := {
  byz_le : wsum wt byz N <= f;
  A1 : total + f + 1 <= v + v;
  A2 : total + f + 1 <= v + b;
  A3 : total + f + 1 <= c + d;
  Aa : f + 1 <= a;
  Ad : d <= total;
  Hgap : 3 <= gap;
  Hdense : rule_dense = true;
  Hself : rule_self = true;
  Hcheck : rule_check = true;
  Hstop : rule_stop = true;
  Hwait : rule_wait = true
}.

(* A block stands for its digest: equal digests, equal contents (collision-free hash). *)
Class Blocks := {
  Blk : Type;
  beq_dec : forall x y : Blk, {x = y} + {x <> y};
  author : Blk -> nat; round : Blk -> nat;
  self : Blk -> option Blk; vote : Blk -> option Blk; claim : Blk -> option Blk;
  parents : Blk -> list Blk
}.

Section Rules.
Context {P : Params} {BT : Blocks}.

Definition is (o : option Blk) (L : Blk) : bool :=
  match o with Some x => if beq_dec x L then true else false | None => false end.
Definition memb (B : Blk) (X : list Blk) : bool := if in_dec beq_dec B X then true else false.
Definition optl (o : option Blk) : list Blk := match o with Some x => [x] | None => [] end.

(* author p has a block in X satisfying q;  total weight of such authors (distinct by construction) *)
Definition has (X : list Blk) (q : Blk -> bool) (p : nat) : bool :=
  existsb (fun B => (author B =? p) && q B) X.
Definition wgt (X : list Blk) (q : Blk -> bool) : nat := wsum wt (has X q) N.

Definition qvote (r : nat) (L B : Blk) : bool := (round B =? r + 1) && is (vote B) L.
Definition qdead (r : nat) (L B : Blk) : bool := (round B =? r + 1) && negb (is (vote B) L).
Definition qclaim (r : nat) (L B : Blk) : bool := (round B =? r + 2) && is (claim B) L.
Definition votes X r L := wgt X (qvote r L).
Definition dead X r L := wgt X (qdead r L).
Definition claims X r L := wgt X (qclaim r L).
Definition seen X r := wgt X (fun B => round B =? r + 1).

(* evidence and acceptance *)
Definition evidence (X : list Blk) (r : nat) (L : Blk) : bool :=
  (v <=? votes X r L) || (a <=? claims X r L).

Definition edges (B : Blk) : list Blk :=
  optl (self B) ++ optl (vote B) ++ optl (claim B) ++ parents B.

Definition dense (B : Blk) : bool := d <=? wgt (parents B) (fun Q => round Q + 1 =? round B).

(* With-parents validity: edges accepted, of the right rounds; everything but membership and evidence. What lies at or
   below the floor fl of whoever judges is garbage: an edge to it counts as accepted, and claims of its slots are not
   checked.
   Leaders do not appear: see may_sign and the filter of the decisions below. *)
Definition wf_block (fl : nat) (acc : list Blk) (B : Blk) : bool :=
  forallb (fun e => (round e <=? fl) || memb e acc) (edges B)
  && (author B <? N) && (1 <=? round B)
  && match self B with Some o => (author o =? author B) && (round o <? round B) | None => true end
  && match vote B with Some L => round L + 1 =? round B | None => true end
  && match claim B with Some L => round L + 2 =? round B | None => true end
  && forallb (fun Q => round Q <? round B) (parents B).

Definition evid_own (hld : list Blk) (B : Blk) : bool :=
  match claim B with Some L => evidence hld (round L) L | None => true end.
Definition evid_ok (fl : nat) (hld : list Blk) (B : Blk) : bool :=
  match claim B with Some L => (round L <=? fl) || evidence hld (round L) L | None => true end.

Definition acceptable (fl : nat) (hld acc : list Blk) (B : Blk) : bool :=
  memb B hld && wf_block fl acc B && (negb rule_check || evid_ok fl hld B).

(* ---------- runs: any interleaving of these events ---------- *)
Record state := mkst { net : list Blk;                 (* everything ever signed *)
                       hld : nat -> list Blk;          (* headers a node holds *)
                       acc : nat -> list Blk;          (* blocks a node accepted *)
                       flr : nat -> nat }.             (* rounds up to it are garbage to a node *)
Inductive event :=
| EByz (B : Blk)               (* a Byzantine author signs anything *)
| ESign (B : Blk)              (* a correct author signs by the rules *)
| ERecv (p : nat) (B : Blk)    (* p (a member, or an observer p >= N) gets a signed header *)
| EAccept (p : nat) (B : Blk)
| EFloor (p k : nat).          (* p collects garbage up to round k, whenever it likes *)

Definition upd {A} (g : nat -> A) (p : nat) (x : A) : nat -> A := fun q => if q =? p then x else g q.
Definition own (s : state) (p : nat) : list Blk := filter (fun B => author B =? p) (net s).

Definition sign_core (s : state) (B : Blk) : bool :=
  (author B <? N) && negb (byz (author B))
  && forallb (fun B' => round B' <? round B) (own s (author B))            (* increasing rounds *)
  && (negb rule_self ||
      match self B with                                                     (* self = my latest *)
      | None => match own s (author B) with [] => true | _ => false end
      | Some o => memb o (own s (author B))
                  && forallb (fun B' => round B' <=? round o) (own s (author B))
      end)
  && wf_block (flr s (author B)) (acc s (author B)) B                       (* refers to accepted blocks only *)
  && evid_own (hld s (author B)) B.                                         (* claims only with evidence *)
(* Whatever it takes for the leader's block, it votes only for a dense one (round 1 has nothing below it).
   No schedule is fixed: correct nodes may even disagree on who leads. Spec.v: the spec's rule is a case of this. *)
Definition may_sign (s : state) (B : Blk) : bool :=
  sign_core s B &&
  match vote B with Some L => negb rule_dense || (round L <=? 1) || dense L | None => true end.

Definition exec (s : state) (e : event) : option state :=
  match e with
  | EByz B => if byz (author B) then Some (mkst (B :: net s) (hld s) (acc s) (flr s)) else None
  | ESign B => if may_sign s B then Some (mkst (B :: net s) (hld s) (acc s) (flr s)) else None
  | ERecv p B => if memb B (net s)
                 then Some (mkst (net s) (upd (hld s) p (B :: hld s p)) (acc s) (flr s)) else None
  | EAccept p B => if acceptable (flr s p) (hld s p) (acc s p) B
                   then Some (mkst (net s) (hld s) (upd (acc s) p (B :: acc s p)) (flr s)) else None
  | EFloor p k => Some (mkst (net s) (hld s) (acc s) (upd (flr s) p (Nat.max k (flr s p))))
  end.
Fixpoint run (s : state) (es : list event) : option state :=
  match es with [] => Some s | e :: t => match exec s e with Some s' => run s' t | None => None end end.
Definition init : state := mkst [] (fun _ => []) (fun _ => []) (fun _ => 0).
Definition reach (s : state) : Prop := exists es, run init es = Some s.
Definition later (s s' : state) : Prop := exists es, run s es = Some s'.

(* ---------- views: what an observer decides on ---------- *)
(* Held and accepted blocks, and the floor: slots up to it are not decided any more. Of blocks at or below the floor
   nothing is read, so it does not matter that the model keeps them. *)
Record view := mkview { vh : list Blk; va : list Blk; vf : nat }.
Definition valid_view (nt : list Blk) (V : view) : Prop :=
  incl (vh V) nt /\ forallb (acceptable (vf V) (vh V) (va V)) (va V) = true.
Definition view_of (s : state) (p : nat) : view := mkview (hld s p) (acc s p) (flr s p).

(* the history of A down to round lo: a walk never leaves for a lower round and comes back *)
Inductive hist (lo : nat) (A : Blk) : Blk -> Prop :=
| h_refl : hist lo A A
| h_step B e : hist lo A B -> In e (edges B) -> lo <= round e -> hist lo A e.

(* ---------- decisions ----------
   g r L: "L may fill slot r". The spec's rule is g r L := (author L =? leader r) for a schedule leader;
   any filter is covered, also one that depends on the decided prefix (Proof.v, sched). *)
Inductive status := Undecided | Skip | Commit (L : Blk).

Section Decide.
Variable g : nat -> Blk -> bool.

(* authors of weight k without a vote, for every block that may fill the slot *)
Definition dskip_by (k : nat) (X : list Blk) (r : nat) : bool :=
  (k <=? seen X r) &&
  forallb (fun B => if round B =? r + 1
                    then match vote B with Some L => negb (g r L) || (k <=? dead X r L) | None => true end
                    else true) X.
Definition dskip : list Blk -> nat -> bool := dskip_by b.

(* as a relation, with unbounded rounds: everything the rule may ever conclude *)
Inductive decided (V : view) : nat -> status -> Prop :=
| d_commit r L : vf V < r -> g r L = true -> c <= claims (vh V) r L -> decided V r (Commit L)
| d_skip r : vf V < r -> dskip (vh V) r = true -> decided V r Skip
| d_icommit r s A B L :
    vf V < r -> r + gap <= s -> (forall s', r + gap <= s' < s -> decided V s' Skip) ->
    decided V s (Commit A) -> In A (va V) ->
    hist (r + 2) A B -> round B = r + 2 -> claim B = Some L -> g r L = true -> decided V r (Commit L)
| d_iskip r s A :
    vf V < r -> r + gap <= s -> (forall s', r + gap <= s' < s -> decided V s' Skip) ->
    decided V s (Commit A) -> In A (va V) ->
    (forall B L, hist (r + 2) A B -> round B = r + 2 -> claim B = Some L -> g r L = false) -> decided V r Skip.

(* as a function *)
Fixpoint histl (lo k : nat) (A : Blk) : list Blk :=
  match k with
  | 0 => []
  | S k' => A :: flat_map (histl lo k') (filter (fun e => lo <=? round e) (edges A))
  end.
Fixpoint findclaim (r : nat) (X : list Blk) : option Blk :=
  match X with
  | [] => None
  | B :: t => if round B =? r + 2
              then match claim B with
                   | Some L => if g r L then Some L else findclaim r t
                   | None => findclaim r t end
              else findclaim r t
  end.
Fixpoint anchor (l : list status) : status :=
  match l with
  | [] => Undecided
  | Skip :: t => anchor t
  | Undecided :: t => if rule_stop then Undecided else anchor t
  | Commit A :: _ => Commit A
  end.
Definition dcommit (X : list Blk) (r : nat) : option Blk :=
  match find (fun B => (round B =? r + 2) &&
                       match claim B with Some L => g r L && (c <=? claims X r L) | None => false end) X with
  | Some B => claim B | None => None end.
Definition direct (V : view) (r : nat) : status :=
  match dcommit (vh V) r with
  | Some L => Commit L
  | None => if dskip (vh V) r then Skip else Undecided
  end.
(* committed but not accepted: nothing may be decided by it, nor past it *)
Definition usable (V : view) (x : status) : status :=
  match x with
  | Commit A => if memb A (va V) then x else if rule_wait then Undecided else Skip
  | _ => x
  end.
(* dir: what the slot's own votes and claims say; ver r A: what the anchor A says of slot r *)
Definition decide1 (dir : nat -> status) (ver : nat -> Blk -> status) (V : view) (r : nat) (rest : list status) : status :=
  if r <=? vf V then Undecided else
  match dir r with
  | Undecided =>
      match anchor (map (usable V) (skipn (gap - 1) rest)) with
      | Commit A => ver r A
      | _ => Undecided
      end
  | x => x
  end.
(* the slots r, r+1, .., r+k-1, computed top down *)
Fixpoint table_by (dir : nat -> status) (ver : nat -> Blk -> status) (V : view) (k r : nat) : list status :=
  match k with 0 => [] | S k' => let rest := table_by dir ver V k' (S r) in decide1 dir ver V r rest :: rest end.
Definition claimed (r : nat) (A : Blk) : status :=
  match findclaim r (histl (r + 2) (S (round A)) A) with Some L => Commit L | None => Skip end.
Definition table (V : view) (k r : nat) : list status := table_by (direct V) claimed V k r.
(* decision of slot r by a view that looks at rounds up to top *)
Definition decide (V : view) (top r : nat) : status := hd Undecided (table V (S top - r) r).
End Decide.

(* Output. The schedule may depend on the statuses of the slots decided so far: slot k+1 is decided with
   the filter sched l, l = statuses of slots 1..k. A fixed schedule is sched := fun _ => g. *)
Definition decider : Type := (nat -> Blk -> bool) -> view -> nat -> nat -> status.
Fixpoint prefix_by (dec : decider) (sched : list status -> nat -> Blk -> bool) (V : view) (top fuel : nat) (l : list status)
  : list status :=
  match fuel with
  | 0 => l
  | S k => match dec (sched l) V top (S (length l)) with
           | Undecided => l
           | x => prefix_by dec sched V top k (l ++ [x])
           end
  end.
Definition dprefix := prefix_by decide.
Fixpoint ready (V : view) (l : list status) : list Blk :=      (* delivery waits for accepted leaders *)
  match l with
  | Commit L :: t => if memb L (va V) then L :: ready V t else []
  | Skip :: t => ready V t
  | _ => []
  end.
Definition leaders_by dec sched (V : view) (top : nat) : list Blk := ready V (prefix_by dec sched V top top []).
Definition leaders := leaders_by decide.
(* What a node has decided after it looked at one view after the other, its floor rising in between: statuses once
   decided are kept. *)
Definition kept_by dec sched (Vs : list (view * nat)) : list status :=
  fold_left (fun l Vt => prefix_by dec sched (fst Vt) (snd Vt) (snd Vt) l) Vs [].
Definition kept := kept_by decide.
Fixpoint deliver (dl : Blk -> list Blk -> list Blk) (done Ls : list Blk) : list Blk :=
  match Ls with [] => done | L :: t => deliver dl (done ++ dl L done) t end.

End Rules.

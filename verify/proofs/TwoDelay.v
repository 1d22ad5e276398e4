(* The two-delay path, docs/protocols/two-delay.md: F votes commit a slot one message delay sooner than claims do, and
   blocks that KILL a round stand for its skip. Its runs are runs of Model.v with further rules, so P1 to P3 hold as
   they are. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Model Proof.

Class FParams := {
  F : nat;              (* votes that commit a slot *)
  bf : nat;             (* authors without a vote that skip it without kills *)
  rule_kills : bool;    (* receivers check a kill *)
  rule_order : bool;    (* an anchor's history is asked for claims and kills before its votes count *)
  rule_votes : bool;    (* receivers refuse a vote for a block that no correct node would vote for *)
  rule_twins : bool     (* correct nodes vote for no block whose parents' authors it shows to equivocate *)
}.
Class Kills (BT : Blocks) := { kill : Blk -> bool }.

Section Rules.
Context {P : Params} {BT : Blocks} {FP : FParams} {KT : Kills BT}.

Definition anyone (r : nat) (L : Blk) : bool := true.
Definition qkill (r : nat) (B : Blk) : bool := (round B =? r + 2) && kill B.
(* why a block of round r+2 may kill round r: b authors voted for no block of it, or f+1 kill *)
Definition killev (X : list Blk) (r : nat) : bool := dskip_by anyone b X r || (a <=? wgt X (qkill r)).
Definition kill_own (hld : list Blk) (B : Blk) : bool :=
  negb (kill B) || ((match claim B with None => true | _ => false end) && killev hld (round B - 2)).
Definition kill_ok (fl : nat) (hld : list Blk) (B : Blk) : bool :=
  negb (kill B) || (round B - 2 <=? fl) || killev hld (round B - 2).

(* what a leader's block must be like *)
Definition twins_in (H : list Blk) (p : nat) : bool :=
  existsb (fun B => existsb (fun B' => (author B =? p) && (author B' =? p) && (round B =? round B')
                                       && negb (is (Some B) B')) H) H.
Definition clean (A : Blk) : bool :=
  let H := histl 0 (S (round A)) A in forallb (fun Q => negb (twins_in H (author Q))) (parents A).
Definition fit (L : Blk) : bool := (round L <=? 1) || (dense L && (negb rule_twins || clean L)).
Definition votes_fit (B : Blk) : bool := match vote B with Some L => fit L | None => true end.

Definition fexec (s : state) (e : event) : option state :=
  match e with
  | ESign B => if kill_own (hld s (author B)) B && votes_fit B then exec s e else None
  | EAccept p B => if (negb rule_kills || kill_ok (flr s p) (hld s p) B) && (negb rule_votes || votes_fit B)
                   then exec s e else None
  | _ => exec s e
  end.
Fixpoint frun (s : state) (es : list event) : option state :=
  match es with [] => Some s | e :: t => match fexec s e with Some s' => frun s' t | None => None end end.
Definition freach (s : state) : Prop := exists es, frun init es = Some s.

(* ---------- decisions ---------- *)
Section Decide.
Variable pick : (nat -> Blk -> bool) -> nat -> Blk -> option Blk.   (* step 3: pick g r A, by A's history *)
Variable g : nat -> Blk -> bool.
(* a block of round r+2 that excludes what may fill slot r *)
Definition qgone (r : nat) (B : Blk) : bool :=
  (round B =? r + 2) && (kill B || match claim B with Some L => negb (g r L) | None => false end).
Definition fskip (X : list Blk) (r : nat) : bool := (c <=? wgt X (qgone r)) || dskip_by g bf X r.
(* in this order: a claim, a kill, the votes *)
Definition by_votes (r : nat) (A : Blk) (rest : status) : status :=
  match pick g r A with Some L => Commit L | None => rest end.
Definition verdict (r : nat) (A : Blk) : status :=
  let H := histl (r + 1) (S (round A)) A in
  let in_order last := match findclaim anyone r H with
                       | Some L => if g r L then Commit L else Skip
                       | None => if existsb (qkill r) H then Skip else last
                       end in
  if rule_order then in_order (by_votes r A Skip) else by_votes r A (in_order Skip).
Inductive fdecided (V : view) : nat -> status -> Prop :=
| f_commit r L : vf V < r -> g r L = true -> c <= claims (vh V) r L \/ F <= Model.votes (vh V) r L ->
    fdecided V r (Commit L)
| f_skip r : vf V < r -> fskip (vh V) r = true -> fdecided V r Skip
| f_indirect r s A : vf V < r -> r + gap <= s -> (forall s', r + gap <= s' < s -> fdecided V s' Skip) ->
    fdecided V s (Commit A) -> In A (va V) -> fdecided V r (verdict r A).

Definition fcommit (X : list Blk) (r : nat) : option Blk :=
  match find (fun B => (round B =? r + 1) &&
                       match vote B with Some L => g r L && (F <=? Model.votes X r L) | None => false end) X with
  | Some B => vote B | None => None end.
Definition fdirect (V : view) (r : nat) : status :=
  match dcommit g (vh V) r with
  | Some L => Commit L
  | None => match fcommit (vh V) r with
            | Some L => Commit L
            | None => if fskip (vh V) r then Skip else Undecided
            end
  end.
End Decide.
Definition fdecide pick (g : nat -> Blk -> bool) (V : view) (top r : nat) : status :=
  hd Undecided (table_by (fdirect g V) (verdict pick g) V (S top - r) r).

(* ---------- step 3 ---------- *)
Definition voted (g : nat -> Blk -> bool) (H : list Blk) (r : nat) : list Blk :=
  nodup beq_dec (filter (g r) (flat_map (fun B => if round B =? r + 1 then optl (vote B) else []) H)).
Definition only (l : list Blk) : option Blk := match l with [L] => Some L | _ => None end.
(* the one block with w votes, if there is just one *)
Definition pick_heavy (w : nat) (g : nat -> Blk -> bool) (r : nat) (A : Blk) : option Blk :=
  let H := histl (r + 1) (S (round A)) A in only (filter (fun L => w <=? Model.votes H r L) (voted g H r)).
(* one block was voted for: w1 votes; several, so their leader lies: the one with w2 votes without its own *)
Definition qother (r : nat) (L B : Blk) : bool := qvote r L B && negb (author B =? author L).
Definition pick_repaired (w1 w2 : nat) (g : nat -> Blk -> bool) (r : nat) (A : Blk) : option Blk :=
  let H := histl (r + 1) (S (round A)) A in
  match voted g H r with
  | [] => None
  | [L] => if w1 <=? Model.votes H r L then Some L else None
  | l => only (filter (fun L => w2 <=? wgt H (qother r L)) l)
  end.
End Rules.

Class FLegal (P : Params) (FP : FParams) : Prop := {
  Fv : v <= F;                          (* F votes are a certificate *)
  Fb : total + f + 1 <= v + bf;         (* and bf blames exclude one *)
  Hkills : rule_kills = true;
  Horder : rule_order = true
}.

Section Proofs.
Context {P : Params} {BT : Blocks} {FP : FParams} {KT : Kills BT} {LG : Legal P} {FL : FLegal P FP}.

(* ---------- runs ---------- *)
Definition killed (nt : list Blk) (r : nat) : Prop := forall L, b <= dead nt r L.
Lemma killed_mono nt nt' r : incl nt nt' -> killed nt r -> killed nt' r.
Proof. intros HI H L. specialize (H L). etransitivity; [exact H|]. apply wgt_mono; auto. Qed.
Record finv (s : state) : Prop := {
  fi_inv : inv s;
  fi_kill : forall B, In B (net s) -> byz (author B) = false -> kill B = true ->
      claim B = None /\ killed (net s) (round B - 2);
  fi_fit : forall B L, In B (net s) -> byz (author B) = false -> vote B = Some L -> fit L = true;
  fi_acc : forall p B, In B (acc s p) -> kill_ok (flr s p) (hld s p) B = true /\
      (rule_votes = true -> votes_fit B = true)
}.
(* (P2') kills that are accepted come from b dead votes *)
Lemma killev_killed nt X r :
  (forall B, In B nt -> byz (author B) = false -> kill B = true -> killed nt (round B - 2)) ->
  incl X nt -> killev X r = true -> killed nt r.
Proof.
  intros HK HI H. unfold killev in H. apply orb_true_iff in H. destruct H as [H|H].
  - intros L. etransitivity; [apply (dskip_by_dead anyone b X r L H); reflexivity|]. apply wgt_mono; auto.
  - apply Nat.leb_le in H. pose proof Aa. destruct (one_correct X (qkill r)) as (B & IB & Z & Q); [lia|].
    unfold qkill in Q. apply andb_true_iff in Q. destruct Q as [Q1 Q2]. apply Nat.eqb_eq in Q1.
    replace r with (round B - 2) by lia. apply HK; auto.
Qed.
Lemma killev_mono X Y r : incl X Y -> killev X r = true -> killev Y r = true.
Proof.
  intros HI. unfold killev. rewrite !orb_true_iff, !Nat.leb_le. intros [H|H]; [left|right].
  - eapply dskip_by_mono; eauto.
  - etransitivity; [exact H|]. apply wgt_mono; auto.
Qed.
Lemma kill_ok_mono fl fl' X Y B : fl <= fl' -> incl X Y -> kill_ok fl X B = true -> kill_ok fl' Y B = true.
Proof.
  intros HF HI. unfold kill_ok. rewrite !orb_true_iff, !Nat.leb_le. intros [[H|H]|H]; auto; [left; right; lia|].
  right. eapply killev_mono; eauto.
Qed.
Lemma fexec_exec s e s' : fexec s e = Some s' -> exec s e = Some s'.
Proof. destruct e; simpl; auto; destruct (_ && _); auto; discriminate. Qed.
Lemma finv_exec s e s' : finv s -> fexec s e = Some s' -> finv s'.
Proof.
  intros I H. pose proof (fexec_exec _ _ _ H) as HE. pose proof (inv_exec s e s' (fi_inv s I) HE) as IV.
  destruct e as [B|B|p B|p B|p k]; simpl in H.
  - destruct (byz (author B)) eqn:Z; [|discriminate]. injection H as <-.
    assert (HI : incl (net s) (B :: net s)) by apply incl_tl, incl_refl.
    constructor; simpl; auto.
    + intros X [->|HX] ZX KX; [congruence|]. destruct (fi_kill s I X HX ZX KX). split; auto. eapply killed_mono; eauto.
    + intros X L [->|HX] ZX VX; [congruence|]. eapply (fi_fit s I); eauto.
    + apply (fi_acc s I).
  - destruct (kill_own _ B && votes_fit B) eqn:G; [|discriminate]. apply andb_true_iff in G. destruct G as [G1 G2].
    destruct (may_sign s B) eqn:M; [|discriminate]. injection H as <-.
    assert (HI : incl (net s) (B :: net s)) by apply incl_tl, incl_refl.
    constructor; simpl; auto.
    + intros X [->|HX] ZX KX.
      * unfold kill_own in G1. rewrite KX in G1. simpl in G1. apply andb_true_iff in G1. destruct G1 as [G1 G3].
        destruct (claim X); [discriminate|]. split; auto. eapply killed_mono; [exact HI|].
        eapply killev_killed; [|apply (fi_inv s I)|exact G3]. intros Y HY ZY KY. apply (fi_kill s I Y); auto.
      * destruct (fi_kill s I X HX ZX KX). split; auto. eapply killed_mono; eauto.
    + intros X L [->|HX] ZX VX; [|eapply (fi_fit s I); eauto]. unfold votes_fit in G2. now rewrite VX in G2.
    + apply (fi_acc s I).
  - destruct (memb B (net s)); [|discriminate]. injection H as <-. constructor; simpl; auto; try apply I.
    intros q X HX. destruct (fi_acc s I q X HX) as [K1 K2]. split; auto. eapply kill_ok_mono; [| |exact K1]; auto.
    unfold upd. destruct (q =? p) eqn:E; [apply Nat.eqb_eq in E; subst; apply incl_tl|]; apply incl_refl.
  - destruct (_ && _) eqn:G; [|discriminate]. apply andb_true_iff in G. destruct G as [G1 G2].
    destruct (acceptable _ _ _ B); [|discriminate]. injection H as <-. constructor; simpl; auto; try apply I.
    rewrite Hkills in G1. simpl in G1. intros q X. unfold upd.
    destruct (q =? p) eqn:E; [apply Nat.eqb_eq in E; subst q; intros [<-|HX]|intros HX];
      [|apply (fi_acc s I); auto..]. split; auto. intros RV. now rewrite RV in G2.
  - injection H as <-. constructor; simpl; auto; try apply I. intros q X HX. destruct (fi_acc s I q X HX) as [K1 K2].
    split; auto. eapply kill_ok_mono; [|apply incl_refl|exact K1]. unfold upd.
    destruct (q =? p) eqn:E; auto. apply Nat.eqb_eq in E. subst. lia.
Qed.
Theorem freach_finv s : freach s -> finv s /\ reach s.
Proof.
  intros [es H]. assert (G0 : finv init).
  { constructor; simpl; try tauto. apply reach_inv. exists []. reflexivity. }
  assert (R0 : reach init) by (exists []; reflexivity). revert G0 R0 H. generalize init.
  induction es as [|e t IH]; simpl; intros s0 G R H; [inversion H; subst; auto|].
  destruct (fexec s0 e) as [s1|] eqn:E; [|discriminate]. apply (IH s1); auto; [eapply finv_exec; eauto|].
  destruct R as [es0 R]. exists (es0 ++ [e]). rewrite (run_app _ _ s0); auto. simpl. now rewrite (fexec_exec _ _ _ E).
Qed.

(* ---------- views of one run ---------- *)
Section Views.
Variable nt : list Blk.
Hypothesis OK : net_ok nt.
Hypothesis KILL : forall B, In B nt -> byz (author B) = false -> kill B = true ->
  claim B = None /\ killed nt (round B - 2).
Hypothesis FIT : forall B L, In B nt -> byz (author B) = false -> vote B = Some L -> fit L = true.
Definition fvalid (V : view) : Prop := valid_view nt V /\ forall B, In B (va V) ->
  kill_ok (vf V) (vh V) B = true /\ (rule_votes = true -> votes_fit B = true).

Lemma killed_uncertified r L : killed nt r -> ~ certified nt r L.
Proof.
  intros HK HC. pose proof A2. specialize (HK L). unfold certified, Model.votes, dead in *.
  destruct (common nt nt nt (qvote r L) (qdead r L)) as (B & B' & I1 & I2 & _ & _ & Hz & Ha & Q1 & Q2);
    try apply incl_refl; [lia|].
  apply qvote_true in Q1. apply qdead_true in Q2.
  assert (B = B') by (apply (one_block nt OK); auto; lia). subst. tauto.
Qed.
(* (P2') *)
Theorem P2'_accepted_kill V r B : fvalid V -> In B (va V) -> vf V < r -> qkill r B = true -> killed nt r.
Proof.
  intros [HV HK] HB HF Q. unfold qkill in Q. apply andb_true_iff in Q. destruct Q as [Q1 Q2]. apply Nat.eqb_eq in Q1.
  destruct (HK B HB) as [K _]. unfold kill_ok in K. rewrite Q2 in K. simpl in K. apply orb_true_iff in K.
  rewrite Nat.leb_le in K. replace (round B - 2) with r in K by lia. destruct K as [K|K]; [lia|].
  eapply killev_killed; [|apply HV|exact K]. intros X HX ZX KX. apply (KILL X); auto.
Qed.

(* what a view sees of the history of an accepted block, it sees down to its floor *)
Lemma seen_hist V r A B : valid_view nt V -> In A (va V) -> vf V < r -> In B (histl (r + 1) (S (round A)) A) ->
  In B (va V) /\ hist (r + 1) A B.
Proof. intros HV HA HF H. apply histl_sound in H. split; auto. exact (view_hist nt V (r + 1) A B HV ltac:(lia) HA H).
  Qed.
Lemma hist_seen V r A B : valid_view nt V -> In A (va V) -> vf V < r -> hist (r + 1) A B ->
  In B (histl (r + 1) (S (round A)) A).
Proof. intros HV HA HF H. eapply histl_complete; eauto; lia. Qed.
Lemma claim_in V r A B L : fvalid V -> In A (va V) -> vf V < r -> In B (histl (r + 1) (S (round A)) A) ->
  round B = r + 2 -> claim B = Some L -> certified nt r L.
Proof.
  intros [HV _] HA HF HB HR HC. destruct (seen_hist V r A B) as [IB _]; auto.
  destruct (view_acc nt V B) as (_ & Hw & _); auto. pose proof (wf_claim _ _ _ _ Hw HC).
  destruct (P2_accepted_claim nt OK V B L) as (E & C'); auto; [lia|]. replace r with (round L) by lia. exact C'.
Qed.
Lemma voted_true g V r A L : valid_view nt V -> In A (va V) -> vf V < r ->
  In L (voted g (histl (r + 1) (S (round A)) A) r) ->
  g r L = true /\ round L = r /\ In L (va V) /\ hist r A L /\
  exists B, In B (histl (r + 1) (S (round A)) A) /\ In B (va V) /\ qvote r L B = true.
Proof.
  intros HV HA HF H. unfold voted in H. rewrite nodup_In, filter_In, in_flat_map in H. destruct H as [(B & HB & IL) G].
  destruct (round B =? r + 1) eqn:ER; [|destruct IL]. apply Nat.eqb_eq in ER.
  destruct (vote B) as [L'|] eqn:EV; [|destruct IL]. destruct IL as [->|[]].
  destruct (seen_hist V r A B) as [IB HH]; auto. destruct (view_acc nt V B) as (_ & Hw & _); auto.
  pose proof (wf_vote _ _ _ _ Hw EV).
  assert (EL : In L (edges B)) by (unfold edges; rewrite EV, !in_app_iff; simpl; auto).
  split; [auto|split; [lia|split; [eapply wf_edges; eauto; lia|split]]].
  - eapply h_step; [eapply hist_lower; [|exact HH]; lia|exact EL|lia].
  - exists B. rewrite qvote_true. auto.
Qed.
Lemma voted_in g V r A L : valid_view nt V -> In A (va V) -> vf V < r -> g r L = true ->
  1 <= Model.votes (histl (r + 1) (S (round A)) A) r L -> In L (voted g (histl (r + 1) (S (round A)) A) r).
Proof.
  intros HV HA HF G H. unfold Model.votes, wgt in H.
  assert (ZW : wsum wt (fun _ => false) N <= 0) by (clear; induction N; simpl; lia).
  destruct (wsum_pick wt (fun _ => false) (has (histl (r + 1) (S (round A)) A) (qvote r L)) N) as (x & _ & Hx & _);
    [lia|].
  apply has_true in Hx. destruct Hx as (B & HB & _ & Q). apply qvote_true in Q. destruct Q as [Q1 Q2].
  unfold voted. rewrite nodup_In, filter_In, in_flat_map. split; auto. exists B. split; auto.
  rewrite (proj2 (Nat.eqb_eq _ _) Q1), Q2. simpl. auto.
Qed.

Lemma wsum_without Z X k : wsum wt X k <= wsum wt Z k + wsum wt (fun x => X x && negb (Z x)) k.
Proof. induction k as [|k IH]; simpl; [lia|]. destruct (X k), (Z k); simpl; lia. Qed.
Lemma wsum_le Z X k : (forall x, x < k -> X x = true -> Z x = true) -> wsum wt X k <= wsum wt Z k.
Proof. apply wsum_mono. Qed.

(* (PF) L has F votes: the history of every dense anchor holds the votes of correct nodes that its parents' authors
   gave; Z covers the faulty ones among those. *)
Lemma fast_seen V r L A Z : valid_view nt V -> In A (va V) -> vf V < r -> dense A = true -> r + 3 <= round A ->
  F <= Model.votes nt r L ->
  (forall x, has (filter (below A) (parents A)) (below A) x = true -> byz x = true -> Z x = true) ->
  d + F <= total + wsum wt Z N
           + wgt (histl (r + 1) (S (round A)) A) (fun B => qvote r L B && negb (byz (author B))).
Proof.
  intros HV HA HF HD HR HFa HZ. apply Nat.leb_le in HD. pose proof (wgt_filter (parents A) (below A)) as HW.
  set (X := has (filter (below A) (parents A)) (below A)) in *. set (Y := has nt (qvote r L)).
  pose proof (wsum_inter wt X Y N) as HI. pose proof (wsum_without Z (fun x => X x && Y x) N) as HO.
  assert (HH : wsum wt (fun x => (X x && Y x) && negb (Z x)) N <=
      wgt (histl (r + 1) (S (round A)) A) (fun B => qvote r L B && negb (byz (author B)))).
  { apply wsum_mono. intros x _ Hx. rewrite !andb_true_iff, negb_true_iff in Hx. destruct Hx as [[H1 H2] H3].
    unfold Y in H2. apply has_true in H2. destruct H2 as (B & IB & EB & QB). apply has_true.
    assert (HB : byz x = false) by (destruct (byz x) eqn:E; auto; rewrite (HZ x H1 E) in H3; discriminate).
    exists B. split; [|split; auto]; [|rewrite QB, EB, HB; auto]. apply qvote_true in QB.
    eapply hist_seen; eauto. apply (author_reached nt OK V); auto; try lia; subst x; auto. }
  unfold Model.votes, wgt in *. fold Y in HFa. unfold below in *. fold X in HW. unfold total in *. lia.
Qed.
(* of another block of the round, nobody but the rest and the faulty can vote in any history; t restricts voters *)
Lemma others_seen V r L L' A Z t : valid_view nt V -> In A (va V) -> vf V < r -> L <> L' ->
  F <= Model.votes nt r L ->
  (forall x, byz x = true -> has (histl (r + 1) (S (round A)) A) (fun B => qvote r L' B && t B) x = true ->
     Z x = true) ->
  wgt (histl (r + 1) (S (round A)) A) (fun B => qvote r L' B && t B) + F <= total + wsum wt Z N.
Proof.
  intros HV HA HF HN HFa HZ. unfold Model.votes, wgt in *. set (X := has _ (fun B => qvote r L' B && t B)) in *.
  set (Y := has nt (qvote r L)) in *. pose proof (wsum_inter wt X Y N) as HI.
  assert (HH : wsum wt (fun x => X x && Y x) N <= wsum wt Z N).
  { apply wsum_mono. intros x _ Hx. apply andb_true_iff in Hx. destruct Hx as [H1 H2].
    destruct (byz x) eqn:E; [apply HZ; auto|exfalso]. unfold X in H1. unfold Y in H2.
    apply has_true in H1. apply has_true in H2. destruct H1 as (B & I1 & E1 & Q1), H2 as (B' & I2 & E2 & Q2).
    apply andb_true_iff in Q1. destruct Q1 as [Q1 _]. apply qvote_true in Q1, Q2.
    destruct (seen_hist V r A B) as [IB _]; auto. destruct (view_acc nt V B) as (IN & _ & _); auto.
    assert (B = B') by (apply (one_block nt OK); auto; try congruence; lia). subst. destruct Q1, Q2. congruence. }
  unfold total in *. lia.
Qed.

(* ---------- decisions, for any step 3 that does this ---------- *)
Section Decide.
Variable pick : (nat -> Blk -> bool) -> nat -> Blk -> option Blk.
Variable g : nat -> Blk -> bool.
Hypothesis pick_sound : forall V r A L, fvalid V -> In A (va V) -> vf V < r -> pick g r A = Some L ->
  round L = r /\ g r L = true /\ fit L = true.
Hypothesis pick_fast : forall V r A L, fvalid V -> In A (va V) -> vf V < r -> fit A = true -> r + 3 <= round A ->
  F <= Model.votes nt r L -> g r L = true -> pick g r A = Some L.
Hypothesis pick_skip : forall V V' r A, fvalid V -> fvalid V' -> dskip_by g bf (vh V) r = true ->
  In A (va V') -> vf V' < r -> pick g r A = None.

Lemma fast_certified r L : F <= Model.votes nt r L -> certified nt r L.
Proof. pose proof Fv. unfold certified. lia. Qed.
Lemma certified_fit r L : certified nt r L -> round L = r /\ fit L = true.
Proof.
  intros HC. pose proof (certified_vote nt r L HC) as (B & IB & Z & E1 & E2).
  destruct (vote_dense nt OK B L IB Z E2) as [E3 _]. split; [lia|]. eapply FIT; eauto.
Qed.
Lemma direct_certified V r L : valid_view nt V -> c <= claims (vh V) r L \/ F <= Model.votes (vh V) r L ->
  certified nt r L.
Proof.
  intros HV [H|H]; [apply (dcommit_certified nt OK V r L HV H)|]. apply fast_certified.
  etransitivity; [exact H|]. apply wgt_mono; auto. apply HV.
Qed.
Lemma fdecided_commit V r x : fvalid V -> fdecided pick g V r x -> forall L, x = Commit L ->
  round L = r /\ g r L = true /\ fit L = true.
Proof.
  intros HV H. destruct H as [r L HF G HC| |r s A HF Hs HSk HA IA]; intros L' E.
  - injection E as <-. destruct (certified_fit r L); auto. eapply direct_certified; eauto. apply HV.
  - discriminate.
  - unfold verdict, by_votes in E. rewrite Horder in E. destruct (findclaim anyone r _) as [L|] eqn:EC.
    + destruct (g r L) eqn:G; [|discriminate]. injection E as <-. apply findclaim_some in EC.
      destruct EC as (B & IB & RB & CB & _). destruct (certified_fit r L); auto. eapply claim_in; eauto.
    + destruct (existsb _ _); [discriminate|]. destruct (pick g r A) as [L|] eqn:EP; [|discriminate].
      injection E as <-. eapply pick_sound; eauto.
Qed.
Lemma fit_dense A : 2 <= round A -> fit A = true -> dense A = true.
Proof.
  intros HR H. unfold fit in H. apply orb_true_iff in H. destruct H as [H|H]; [apply Nat.leb_le in H; lia|].
  apply andb_true_iff in H. tauto.
Qed.

(* (P4') a skip excludes every certificate of the slot *)
Theorem P4'_skip_kills V r L : fvalid V -> vf V < r -> fskip g (vh V) r = true -> g r L = true -> ~ certified nt r L.
Proof.
  intros [HV HK] HF H G HC. unfold fskip in H. apply orb_true_iff in H. destruct H as [H|H].
  - apply Nat.leb_le in H. pose proof commit_claim_weight.
    destruct (one_correct (vh V) (qgone g r)) as (B & IB & Z & Q); [lia|].
    unfold qgone in Q. apply andb_true_iff in Q. destruct Q as [Q1 Q2]. apply Nat.eqb_eq in Q1.
    assert (IN : In B nt) by (apply HV; auto). apply orb_true_iff in Q2. destruct Q2 as [Q2|Q2].
    + destruct (KILL B IN Z Q2) as [_ K]. replace (round B - 2) with r in K by lia. eapply killed_uncertified; eauto.
    + destruct (claim B) as [L'|] eqn:EC; [|discriminate]. destruct (claim_cert nt OK B L' IN Z EC) as [E1 E2].
      replace (round L') with r in E2 by lia. pose proof (P1_unique_certificate nt r L L' OK HC E2). subst L'.
      rewrite G in Q2. discriminate.
  - pose proof (dskip_by_dead g bf (vh V) r L H G) as HD. pose proof Fb. unfold certified, Model.votes, dead in *.
    destruct (common nt nt (vh V) (qvote r L) (qdead r L))
      as (B & B' & I1 & I2 & _ & _ & Hz & Ha & Q1 & Q2); [apply incl_refl|apply HV|lia|].
    apply qvote_true in Q1. apply qdead_true in Q2.
    assert (B = B') by (apply (one_block nt OK); auto; lia). subst. tauto.
Qed.
Lemma no_kill_in V r A L : fvalid V -> In A (va V) -> vf V < r -> certified nt r L ->
  existsb (qkill r) (histl (r + 1) (S (round A)) A) = false.
Proof.
  intros HV HA HF HC. apply not_true_is_false. intros H. apply existsb_exists in H. destruct H as (B & IB & Q).
  destruct (seen_hist V r A B) as [IV _]; auto; [apply HV|].
  eapply killed_uncertified; [eapply P2'_accepted_kill; eauto|exact HC].
Qed.

(* a direct commit, and what any later anchor says: P3 for claims, PF for votes *)
Theorem PF_anchor_commits V V' r s A L : fvalid V -> fvalid V' -> c <= claims (vh V) r L \/ F <= Model.votes (vh V) r L ->
  g r L = true -> vf V' < r -> In A (va V') -> round A = s -> fit A = true -> r + 3 <= s ->
  verdict pick g r A = Commit L.
Proof.
  intros HV HV' HC G HF HA Rs HD Hs. pose proof (direct_certified V r L (proj1 HV) HC) as HL.
  assert (DA : dense A = true) by (apply fit_dense; auto; lia).
  unfold verdict, by_votes. rewrite Horder. destruct (findclaim anyone r _) as [L'|] eqn:EC.
  { apply findclaim_some in EC. destruct EC as (B & IB & RB & CB & _).
    assert (certified nt r L') by (eapply (claim_in V'); eauto).
    assert (L = L') by (eapply P1_unique_certificate; eauto). subst L'. now rewrite G. }
  destruct HC as [HC|HC].
  - exfalso. destruct (dense_reaches nt OK V V' r (qclaim r L) A) as (B & HB & Q); auto; try lia; try (apply HV); try
    (apply HV').
    { intros B Q. apply qclaim_true in Q. tauto. }
    apply qclaim_true in Q. destruct Q as [Q1 Q2].
    assert (X : anyone r L = false); [|discriminate].
    apply (findclaim_none _ _ _ EC B L); auto. eapply hist_seen; eauto; [apply HV'|]. eapply hist_lower; [|exact HB].
      lia.
  - rewrite (no_kill_in V' r A L); auto.
    rewrite (pick_fast V' r A L); auto; [lia|]. etransitivity; [exact HC|]. apply wgt_mono; auto. apply HV.
Qed.
(* a direct skip, and what any later anchor says *)
Theorem P3'_anchor_skips V V' r s A : fvalid V -> fvalid V' -> vf V < r -> fskip g (vh V) r = true ->
  vf V' < r -> In A (va V') -> round A = s -> fit A = true -> r + 3 <= s -> verdict pick g r A = Skip.
Proof.
  intros HV HV' HF0 HS HF HA Rs HD Hs. assert (DA : dense A = true) by (apply fit_dense; auto; lia).
  unfold verdict, by_votes. rewrite Horder. destruct (findclaim anyone r _) as [L|] eqn:EC.
  { apply findclaim_some in EC. destruct EC as (B & IB & RB & CB & _).
    assert (certified nt r L) by (eapply (claim_in V'); eauto).
    destruct (g r L) eqn:G; auto. exfalso. apply (P4'_skip_kills V r L); auto. }
  destruct (existsb (qkill r) _) eqn:EK; auto. unfold fskip in HS. apply orb_true_iff in HS. destruct HS as [HS|HS].
  - exfalso. apply Nat.leb_le in HS.
    destruct (dense_reaches nt OK V V' r (qgone g r) A) as (B & HB & Q); auto; try lia; try (apply HV); try (apply HV').
    { intros B Q. unfold qgone in Q. apply andb_true_iff in Q. destruct Q as [Q _]. now apply Nat.eqb_eq. }
    unfold qgone in Q. apply andb_true_iff in Q. destruct Q as [Q1 Q2].
    assert (IB : In B (histl (r + 1) (S (round A)) A)).
    { eapply hist_seen; eauto; [apply HV'|]. eapply hist_lower; [|exact HB]. lia. }
    destruct (kill B) eqn:K.
    + assert (existsb (qkill r) (histl (r + 1) (S (round A)) A) = true); [|congruence].
      apply existsb_exists. exists B. split; auto. unfold qkill. now rewrite Q1.
    + simpl in Q2. destruct (claim B) as [L|] eqn:CB; [|discriminate]. apply Nat.eqb_eq in Q1.
      assert (X : anyone r L = false); [|discriminate]. apply (findclaim_none _ _ _ EC B L); auto.
  - rewrite (pick_skip V V' r A); auto.
Qed.

(* (P5') *)
Theorem fagreement_net V V' r x y : fvalid V -> fvalid V' ->
  fdecided pick g V r x -> fdecided pick g V' r y -> x = y.
Proof.
  intros HV HV' H. revert y. pose proof Hgap.
  assert (AN : forall U r s A, fvalid U -> r + gap <= s -> fdecided pick g U s (Commit A) ->
     round A = s /\ fit A = true /\ r + 3 <= s).
  { intros U r0 s A HU Hs HA. destruct (fdecided_commit U s _ HU HA A eq_refl) as (E & _ & E'). repeat split; auto.
    lia. }
  induction H as [r L HF G HC | r HF HS | r s A HF Hs HSk IHSk HA IHA IA]; intros y Hy.
  - inversion Hy as [r0 L' HF' G' HC' | r0 HF' HS' | r0 s' A' HF' Hs' HSk' HA' IA']; subst.
    + f_equal. eapply P1_unique_certificate; eauto; eapply direct_certified; eauto; [apply HV|apply HV'].
    + exfalso. eapply (P4'_skip_kills V'); eauto. eapply direct_certified; eauto. apply HV.
    + destruct (AN V' r s' A') as (? & ? & ?); auto. symmetry. eapply (PF_anchor_commits V V'); eauto.
  - inversion Hy as [r0 L' HF' G' HC' | r0 HF' HS' | r0 s' A' HF' Hs' HSk' HA' IA']; subst; auto.
    + exfalso. eapply (P4'_skip_kills V); eauto. eapply direct_certified; eauto. apply HV'.
    + destruct (AN V' r s' A') as (? & ? & ?); auto. symmetry. eapply (P3'_anchor_skips V V'); eauto.
  - inversion Hy as [r0 L' HF' G' HC' | r0 HF' HS' | r0 s' A' HF' Hs' HSk' HA' IA']; subst.
    + destruct (AN V r s A) as (? & ? & ?); auto. eapply (PF_anchor_commits V' V); eauto.
    + destruct (AN V r s A) as (? & ? & ?); auto. eapply (P3'_anchor_skips V' V); eauto.
    + destruct (lt_eq_lt_dec s s') as [[E|E]|E].
      * assert (Commit A = Skip) by (apply IHA, HSk'; lia). discriminate.
      * subst s'. assert (EA : Commit A = Commit A') by (apply IHA; auto). inversion EA; subst A'. reflexivity.
      * assert (Skip = Commit A') by (apply (IHSk s'); auto; lia). discriminate.
Qed.
End Decide.
End Views.
End Proofs.

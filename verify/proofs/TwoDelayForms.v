(* Step 3 of the two-delay path (TwoDelay.v) in two forms: one threshold, n >= 3f+2p+1; and the repaired form, for n
   >= 3f+2p, and 3f+2p-1 when leaders leave out whom they see equivocate. Agreement, and one ledger, for each. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Model Proof TwoDelay.

Section Forms.
Context {P : Params} {BT : Blocks} {FP : FParams} {KT : Kills BT} {LG : Legal P} {FL : FLegal P FP}.

(* One threshold w: whoever has F votes has w in every later history, and nobody else has. *)
Class Heavy (w : nat) : Prop := {
  Fc : f + 1 <= w;                                 (* a correct voter among w *)
  Fw : w + total + f <= d + F;                     (* every later anchor sees w of F voters *)
  Fo : total + f + 1 <= F + w;                     (* and w of no other block *)
  Fs : total + f + 1 <= bf + w                     (* nor of any after bf blames *)
}.
Class Repaired (w1 w2 : nat) : Prop := {
  Rvotes : rule_votes = true;                      (* one vote can commit, a liar's too: so votes are checked *)
  Rbf : total < bf;                                (* no skip by blames: kills alone *)
  Rseen : total + f + 1 <= d + F;                  (* every later anchor sees a voter *)
  R1 : w1 + total + f <= d + F;
  R2 : w2 + total + f <= d + F + (if rule_twins then 1 else 0);
  R3 : total + f <= F + w2;
  Rstake : forall x, x < N -> 1 <= wt x
}.
Definition one_leader (g : nat -> Blk -> bool) : Prop :=
  forall r L L', g r L = true -> g r L' = true -> author L = author L'.

Lemma only_one (L : Blk) l : NoDup l -> In L l -> (forall x, In x l -> x = L) -> only l = Some L.
Proof.
  intros ND HI HE. destruct l as [|x [|y t]]; [destruct HI| |].
  - simpl. f_equal. apply HE. simpl. auto.
  - exfalso. inversion ND as [|? ? NI]; subst. apply NI.
    rewrite (HE x), (HE y) by (simpl; auto). simpl. auto.
Qed.
Lemma only_in l L : only l = Some L -> In L l.
Proof. destruct l as [|x [|y t]]; simpl; try discriminate. intros H. injection H as ->. auto. Qed.
Lemma fdecide_decided nt pick g V top r : fvalid nt V -> fdecide pick g V top r <> Undecided ->
  fdecided pick g V r (fdecide pick g V top r).
Proof.
  intros HV Hx. unfold fdecide in *. set (k := S top - r) in *.
  destruct (table_by (fdirect g V) (verdict pick g) V k r) as [|y t] eqn:E; simpl in *; [congruence|].
  replace r with (r + 0) at 1 by lia.
  apply (table_by_sound (fdirect g V) (verdict pick g) V (fdecided pick g V)) with (k := k); auto.
  - clear - LG. intros r x HF H Hx. unfold fdirect in H. destruct (dcommit g (vh V) r) as [L|] eqn:ED.
    { subst x. unfold dcommit in ED. destruct (find _ (vh V)) as [B|] eqn:EF; [|discriminate].
      apply find_some in EF. destruct EF as [_ EF]. rewrite ED in EF. rewrite !andb_true_iff in EF.
      destruct EF as [_ [EG EF]]. apply Nat.leb_le in EF. apply f_commit; auto. }
    destruct (fcommit g (vh V) r) as [L|] eqn:EV.
    { subst x. unfold fcommit in EV. destruct (find _ (vh V)) as [B|] eqn:EF; [|discriminate].
      apply find_some in EF. destruct EF as [_ EF]. rewrite EV in EF. rewrite !andb_true_iff in EF.
      destruct EF as [_ [EG EF]]. apply Nat.leb_le in EF. apply f_commit; auto. }
    destruct (fskip g (vh V) r) eqn:ES; [subst x; now constructor|congruence].
  - intros. eapply f_indirect; eauto.
  - rewrite E. reflexivity.
Qed.

Section Views.
Variable nt : list Blk.
Hypothesis OK : net_ok nt.
Hypothesis KILL : forall B, In B nt -> byz (author B) = false -> kill B = true ->
  claim B = None /\ killed nt (round B - 2).
Hypothesis FIT : forall B L, In B nt -> byz (author B) = false -> vote B = Some L -> fit L = true.
Variable g : nat -> Blk -> bool.
Lemma nodup_voted H r : NoDup (voted g H r).
Proof. apply NoDup_nodup. Qed.
Lemma wf_author V B : valid_view nt V -> In B (va V) -> author B < N.
Proof.
  intros HV HB. destruct (view_acc nt V B) as (_ & Hw & _); auto. unfold wf_block in Hw. rewrite !andb_true_iff in Hw.
  apply Nat.ltb_lt. tauto.
Qed.
Lemma fit_dense3 A r : fit A = true -> r + 3 <= round A -> dense A = true.
Proof. intros H HR. apply fit_dense; auto. lia. Qed.

(* ---------- one threshold ---------- *)
Section Heavy.
Context {w : nat} {HL : Heavy w}.

Lemma heavy_sound V r A L : fvalid nt V -> In A (va V) -> vf V < r -> pick_heavy w g r A = Some L ->
  round L = r /\ g r L = true /\ fit L = true.
Proof.
  intros [HV _] HA HF H. unfold pick_heavy in H. apply only_in, filter_In in H. destruct H as [HI HW].
  apply Nat.leb_le in HW. destruct (voted_true nt g V r A L HV HA HF HI) as (G & R & _).
  repeat split; auto. destruct (one_correct (histl (r + 1) (S (round A)) A) (qvote r L)) as (B & IB & Z & Q).
  { pose proof Fc. unfold Model.votes in HW. lia. }
  apply qvote_true in Q. destruct (seen_hist nt V r A B) as [IV _]; auto.
  destruct (view_acc nt V B) as (IN & _); auto. apply (FIT B); tauto.
Qed.
Lemma heavy_fast V r A L : fvalid nt V -> In A (va V) -> vf V < r -> fit A = true -> r + 3 <= round A ->
  F <= Model.votes nt r L -> g r L = true -> pick_heavy w g r A = Some L.
Proof.
  intros [HV _] HA HF HD HR HVF G. pose proof byz_le as BL. pose proof Fc as LC. pose proof Fw as LW. pose proof Fo
    as LO. set (H := histl (r + 1) (S (round A)) A).
  assert (HW : w <= Model.votes H r L).
  { pose proof (fast_seen nt OK V r L A byz HV HA HF (fit_dense3 A r HD HR) HR HVF (fun x _ E => E)) as K. fold H in K.
    assert (wgt H (fun B => qvote r L B && negb (byz (author B))) <= Model.votes H r L).
    { apply wgt_mono; [apply incl_refl|]. intros B _ Q. apply andb_true_iff in Q. tauto. }
    lia. }
  unfold pick_heavy. fold H. apply only_one.
  - apply NoDup_filter, nodup_voted.
  - apply filter_In. split; [|now apply Nat.leb_le]. apply (voted_in nt g V); auto. fold H. lia.
  - intros L' HI'. apply filter_In in HI'. destruct HI' as [_ HW']. apply Nat.leb_le in HW'.
    destruct (beq_dec L' L) as [E|NE]; auto. exfalso.
    pose proof (others_seen nt OK V r L L' A byz (fun _ => true) HV HA HF ltac:(congruence) HVF (fun x E _ => E)) as K.
    fold H in K. assert (Model.votes H r L' <= wgt H (fun B => qvote r L' B && true)).
    { apply wgt_mono; [apply incl_refl|]. intros B _ Q. now rewrite Q. }
    lia.
Qed.
Lemma heavy_skip V V' r A : fvalid nt V -> fvalid nt V' -> dskip_by g bf (vh V) r = true -> In A (va V') -> vf V' < r ->
  pick_heavy w g r A = None.
Proof.
  intros [HV0 _] [HV _] HS HA HF. pose proof byz_le as BL. destruct (pick_heavy w g r A) as [L|] eqn:E; auto. exfalso.
  unfold pick_heavy in E. apply only_in, filter_In in E. set (H := histl (r + 1) (S (round A)) A) in *.
  destruct E as [HI HW]. apply Nat.leb_le in HW. destruct (voted_true nt g V' r A L HV HA HF HI) as (G & _).
  pose proof (dskip_by_dead g bf (vh V) r L HS G) as HD. unfold Model.votes, dead, wgt in HW, HD.
  destruct (wsum_quorum wt byz (has H (qvote r L)) (has (vh V) (qdead r L)) N f byz_le) as (x & _ & H1 & H2 & Z).
  { pose proof Fs. unfold total in *. lia. }
  apply has_true in H1. apply has_true in H2. destruct H1 as (B & I1 & E1 & Q1), H2 as (B' & I2 & E2 & Q2).
  apply qvote_true in Q1. apply qdead_true in Q2. destruct (seen_hist nt V' r A B) as [IV _]; auto.
  destruct (view_acc nt V' B) as (IN & _); auto.
  assert (B = B') by (apply (one_block nt OK); auto; [apply HV0; auto|congruence|congruence|lia]). subst. tauto.
Qed.
End Heavy.

(* ---------- the repaired form ---------- *)
Section Repaired.
Context {w1 w2 : nat} {RL : Repaired w1 w2}.
Hypothesis Rleader : one_leader g.

Lemma repaired_sound V r A L : fvalid nt V -> In A (va V) -> vf V < r -> pick_repaired w1 w2 g r A = Some L ->
  round L = r /\ g r L = true /\ fit L = true.
Proof.
  intros [HV HK] HA HF H. assert (HI : In L (voted g (histl (r + 1) (S (round A)) A) r)).
  { unfold pick_repaired in H. destruct (voted g _ r) as [|x [|y t]] eqn:E; [discriminate| |].
    - destruct (w1 <=? _); [|discriminate]. injection H as ->. simpl. auto.
    - apply only_in, filter_In in H. tauto. }
  destruct (voted_true nt g V r A L HV HA HF HI) as (G & R & _ & _ & B & _ & IB & Q). repeat split; auto.
  destruct (HK B IB) as [_ K]. specialize (K Rvotes). apply qvote_true in Q. destruct Q as [_ Q].
  unfold votes_fit in K. now rewrite Q in K.
Qed.
Lemma without_one (Z : nat -> bool) x k : x < k -> Z x = true ->
  wsum wt (fun y => Z y && negb (y =? x)) k + wt x <= wsum wt Z k.
Proof.
  induction k as [|k IH]; intros Hx HZ; [lia|]. simpl. destruct (Nat.eq_dec k x) as [->|NE].
  - rewrite Nat.eqb_refl, HZ. simpl. assert (wsum wt (fun y => Z y && negb (y =? x)) x <= wsum wt Z x); [|lia].
    apply wsum_mono. intros y _ Hy. apply andb_true_iff in Hy. tauto.
  - rewrite (proj2 (Nat.eqb_neq k x) NE). specialize (IH ltac:(lia) HZ). simpl. rewrite andb_true_r. destruct (Z k);
    lia.
Qed.
(* two blocks of one leader in a history: the leader lies, and a clean block has it among no parents *)
Lemma twins_shown V r A L L' : fvalid nt V -> In A (va V) -> vf V < r ->
  In L (voted g (histl (r + 1) (S (round A)) A) r) -> In L' (voted g (histl (r + 1) (S (round A)) A) r) -> L <> L' ->
  author L = author L' /\ author L < N /\ byz (author L) = true /\
  (clean A = true -> has (filter (below A) (parents A)) (below A) (author L) = false).
Proof.
  intros [HV _] HA HF H1 H2 NE.
  destruct (voted_true nt g V r A L HV HA HF H1) as (G1 & E1 & V1 & T1 & _).
  destruct (voted_true nt g V r A L' HV HA HF H2) as (G2 & E2 & V2 & T2 & _).
  pose proof (Rleader r L L' G1 G2) as EA. split; [auto|split; [eapply wf_author; eauto|split]].
  - destruct (byz (author L)) eqn:Z; auto. exfalso. apply NE. apply (one_block nt OK); auto; try congruence;
      [destruct (view_acc nt V L) as (IN & _)|destruct (view_acc nt V L') as (IN & _)]; auto.
  - intros HC. apply not_true_is_false. intros HP. apply has_true in HP. destruct HP as (Q & HQ & EQ & _).
    apply filter_In in HQ. destruct HQ as [HQ _]. unfold clean in HC. rewrite forallb_forall in HC. specialize (HC Q
      HQ).
    apply negb_true_iff in HC. rewrite EQ in HC.
    assert (twins_in (histl 0 (S (round A)) A) (author L) = true); [|congruence].
    unfold twins_in. apply existsb_exists. exists L. split; [apply (histl_complete_low nt V r 0); auto; lia|].
    apply existsb_exists. exists L'. split; [apply (histl_complete_low nt V r 0); auto; lia|].
    rewrite <- EA, !Nat.eqb_refl, E1, E2, Nat.eqb_refl. rewrite !andb_true_l.
    apply negb_true_iff, not_true_is_false. intros I. apply is_true in I. congruence.
Qed.
Lemma repaired_fast V r A L : fvalid nt V -> In A (va V) -> vf V < r -> fit A = true -> r + 3 <= round A ->
  F <= Model.votes nt r L -> g r L = true -> pick_repaired w1 w2 g r A = Some L.
Proof.
  intros FV HA HF HD HR HL G. pose proof FV as [HV _]. pose proof byz_le as BL. pose proof Rseen as LS.
  pose proof R1 as L1. pose proof R2 as L2. pose proof R3 as L3. set (H := histl (r + 1) (S (round A)) A).
  set (good := fun B => qvote r L B && negb (byz (author B))).
  assert (HG : total + f + wgt H good >= d + F).
  { pose proof (fast_seen nt OK V r L A byz HV HA HF (fit_dense3 A r HD HR) HR HL (fun x _ E => E)) as K.
    fold H in K. fold good in K. lia. }
  assert (HV1 : wgt H good <= Model.votes H r L).
  { apply wgt_mono; [apply incl_refl|]. intros B _ Q. apply andb_true_iff in Q. tauto. }
  assert (HI : In L (voted g H r)) by (apply (voted_in nt g V); auto; fold H; lia).
  unfold pick_repaired. fold H. destruct (voted g H r) as [|x [|y t]] eqn:E; [destruct HI| |].
  { destruct HI as [->|[]]. rewrite (proj2 (Nat.leb_le _ _)); auto. lia. }
  assert (TW : exists L', In L' (voted g H r) /\ L <> L').
  { pose proof (nodup_voted H r) as ND. rewrite E in ND. inversion ND as [|? ? NI]; subst.
    destruct (beq_dec L x) as [->|NE]; [|exists x; rewrite E; simpl; auto].
    exists y. rewrite E. simpl. split; auto. intros ->. apply NI. simpl. auto. }
  destruct TW as (L' & IL' & NE). rewrite <- E in *.
  destruct (twins_shown V r A L L' FV HA HF HI IL' NE) as (EA & EN & EZ & EC).
  set (Z := fun q => byz q && negb (q =? author L)).
  pose proof (without_one byz (author L) N EN EZ) as HZ. fold Z in HZ. pose proof (Rstake _ EN).
  apply only_one.
  - apply NoDup_filter, nodup_voted.
  - apply filter_In. split; [auto|]. apply Nat.leb_le.
    assert (HO : wgt H good <= wgt H (qother r L)).
    { apply wgt_mono; [apply incl_refl|]. intros B _ Q. unfold good in Q. apply andb_true_iff in Q. destruct Q as [Q1
      Q2].
      unfold qother. rewrite Q1. simpl. apply negb_true_iff, Nat.eqb_neq. intros EB. rewrite EB, EZ in Q2.
        discriminate. }
    destruct rule_twins eqn:RT; [|lia].
    assert (CA : clean A = true).
    { unfold fit in HD. apply orb_true_iff in HD. destruct HD as [HD|HD]; [apply Nat.leb_le in HD; lia|].
      rewrite RT in HD. simpl in HD. apply andb_true_iff in HD. tauto. }
    specialize (EC CA).
    pose proof (fast_seen nt OK V r L A Z HV HA HF (fit_dense3 A r HD HR) HR HL) as K.
    fold H in K. fold good in K. assert (d + F <= total + wsum wt Z N + wgt H good); [|lia]. apply K.
    intros q Hq Hb. unfold Z. rewrite Hb. simpl. apply negb_true_iff, Nat.eqb_neq. intros ->. congruence.
  - intros M HM. apply filter_In in HM. destruct HM as [HM HW]. apply Nat.leb_le in HW.
    destruct (beq_dec M L) as [EM|NM]; auto. exfalso.
    destruct (twins_shown V r A L M FV HA HF HI HM ltac:(congruence)) as (EA' & _).
    pose proof (others_seen nt OK V r L M A Z (fun B => negb (author B =? author M)) HV HA HF ltac:(congruence) HL)
      as K.
    fold H in K. unfold qother in HW. assert (wgt H (fun B => qvote r M B && negb (author B =? author M)) + F <=
      total + wsum wt Z N); [|lia].
    apply K. intros q Hb Hq. unfold Z. rewrite Hb. simpl. apply has_true in Hq. destruct Hq as (B & _ & EB & Q).
    apply andb_true_iff in Q. destruct Q as [_ Q]. rewrite EB in Q. rewrite EA'. exact Q.
Qed.
Lemma repaired_skip V V' r A : fvalid nt V -> fvalid nt V' -> dskip_by g bf (vh V) r = true -> In A (va V') ->
  vf V' < r ->
  pick_repaired w1 w2 g r A = None.
Proof.
  intros _ _ HS _ _. exfalso. unfold dskip_by in HS. apply andb_true_iff in HS. destruct HS as [HS _].
  apply Nat.leb_le in HS. pose proof (wgt_le_total (vh V) (fun B => round B =? r + 1)). pose proof Rbf. unfold seen
    in HS. lia.
Qed.
End Repaired.
End Views.

(* ---------- what nodes decide and deliver ---------- *)
Definition flater (s s' : state) : Prop := exists es, frun s es = Some s'.
Lemma frun_app es : forall s s' es', frun s es = Some s' -> frun s (es ++ es') = frun s' es'.
Proof.
  induction es as [|e t IH]; simpl; intros s s' es' H; [inversion H; auto|].
  destruct (fexec s e) eqn:E; [|discriminate]. auto.
Qed.
Lemma flater_later s s' : flater s s' -> later s s'.
Proof.
  intros [es H]. exists es. revert s H. induction es as [|e t IH]; simpl; intros s H; auto.
  destruct (fexec s e) as [s1|] eqn:E; [|discriminate]. rewrite (fexec_exec _ _ _ E). auto.
Qed.
Lemma node_view e s p : freach s -> flater s e -> freach e /\ fvalid (net e) (view_of s p).
Proof.
  intros [es H] HL. destruct (freach_finv s (ex_intro _ es H)) as [I R]. split.
  - destruct HL as [es' HL]. exists (es ++ es'). rewrite (frun_app _ _ s); auto.
  - split; [apply past_view_valid; auto; apply flater_later; auto|]. apply (fi_acc s I).
Qed.
Definition ledger_by dec dl sched (s : state) (p top : nat) : list Blk :=
  deliver dl [] (leaders_by dec sched (view_of s p) top).

(* no two nodes or observers, at any times, decide a slot differently; the ledger of one is a prefix of the other's *)
Section Heavy.
Context {w : nat} {HW : Heavy w}.
Theorem two_delay_agreement g s V V' top top' r : freach s -> fvalid (net s) V -> fvalid (net s) V' ->
  fdecide (pick_heavy w) g V top r <> Undecided -> fdecide (pick_heavy w) g V' top' r <> Undecided ->
  fdecide (pick_heavy w) g V top r = fdecide (pick_heavy w) g V' top' r.
Proof.
  intros HR HV HV' H1 H2. destruct (freach_finv s HR) as [I _]. destruct (fi_inv s I) as [OK _].
  pose proof (fi_kill s I) as KI. pose proof (fi_fit s I) as FI.
  apply (fdecide_decided (net s)) in H1; auto. apply (fdecide_decided (net s)) in H2; auto.
  eapply (fagreement_net (net s) OK KI FI (pick_heavy w) g); [| | |exact HV|exact HV'|exact H1|exact H2]; intros;
    [eapply heavy_sound|eapply heavy_fast|eapply heavy_skip with (V := V0)]; eauto.
Qed.
Theorem two_delay_ledger dl sched e s1 s2 p q top top' : freach s1 -> freach s2 -> flater s1 e -> flater s2 e ->
  prefix (ledger_by (fdecide (pick_heavy w)) dl sched s1 p top)
         (ledger_by (fdecide (pick_heavy w)) dl sched s2 q top') \/
  prefix (ledger_by (fdecide (pick_heavy w)) dl sched s2 q top')
         (ledger_by (fdecide (pick_heavy w)) dl sched s1 p top).
Proof.
  intros R1' R2' L1 L2. destruct (node_view e s1 p R1' L1) as [RE HV], (node_view e s2 q R2' L2) as [_ HV'].
  destruct (freach_finv e RE) as [I _]. destruct (fi_inv e I) as [OK _].
  pose proof (fi_kill e I) as KI. pose proof (fi_fit e I) as FI. unfold ledger_by. apply deliver_prefix.
  apply (leaders_by_prefix _ (fdecided (pick_heavy w)) (fvalid (net e)) (fun _ => True)); auto.
  - intros. apply fdecide_decided with (nt := net e); auto.
  - intros g V V' r x y _. apply (fagreement_net (net e) OK KI FI); intros;
      [eapply heavy_sound|eapply heavy_fast|eapply heavy_skip with (V := V0)]; eauto.
Qed.
End Heavy.
Section Repair.
Context {w1 w2 : nat} {HW : Repaired w1 w2}.
Theorem repaired_agreement g s V V' top top' r : one_leader g -> freach s -> fvalid (net s) V -> fvalid (net s) V' ->
  fdecide (pick_repaired w1 w2) g V top r <> Undecided -> fdecide (pick_repaired w1 w2) g V' top' r <> Undecided ->
  fdecide (pick_repaired w1 w2) g V top r = fdecide (pick_repaired w1 w2) g V' top' r.
Proof.
  intros HG HR HV HV' H1 H2. destruct (freach_finv s HR) as [I _]. destruct (fi_inv s I) as [OK _].
  pose proof (fi_kill s I) as KI. pose proof (fi_fit s I) as FI.
  apply (fdecide_decided (net s)) in H1; auto. apply (fdecide_decided (net s)) in H2; auto.
  eapply (fagreement_net (net s) OK KI FI (pick_repaired w1 w2) g); [| | |exact HV|exact HV'|exact H1|exact H2]; intros;
    [eapply repaired_sound|eapply repaired_fast|eapply repaired_skip with (V := V0)]; eauto.
Qed.
Theorem repaired_ledger dl sched e s1 s2 p q top top' : (forall l, one_leader (sched l)) ->
  freach s1 -> freach s2 -> flater s1 e -> flater s2 e ->
  prefix (ledger_by (fdecide (pick_repaired w1 w2)) dl sched s1 p top)
         (ledger_by (fdecide (pick_repaired w1 w2)) dl sched s2 q top') \/
  prefix (ledger_by (fdecide (pick_repaired w1 w2)) dl sched s2 q top')
         (ledger_by (fdecide (pick_repaired w1 w2)) dl sched s1 p top).
Proof.
  intros HG R1' R2' L1 L2. destruct (node_view e s1 p R1' L1) as [RE HV], (node_view e s2 q R2' L2) as [_ HV'].
  destruct (freach_finv e RE) as [I _]. destruct (fi_inv e I) as [OK _].
  pose proof (fi_kill e I) as KI. pose proof (fi_fit e I) as FI. unfold ledger_by. apply deliver_prefix.
  apply (leaders_by_prefix _ (fdecided (pick_repaired w1 w2)) (fvalid (net e)) one_leader); auto.
  - intros. apply fdecide_decided with (nt := net e); auto.
  - intros g V V' r x y Hg. apply (fagreement_net (net e) OK KI FI); intros;
      [eapply repaired_sound|eapply repaired_fast|eapply repaired_skip with (V := V0)]; eauto.
Qed.
End Repair.
End Forms.

(* The numbers of the design, every stake 1; Q is the quorum. c of the commit by claims: Q, and n+f+1-d. *)
Lemma two_delay_numbers n f p Q : 3 * f + 2 * p + 1 <= n -> p <= f -> n + f + 1 <= Q + Q <= n + f + 2 ->
  let d := Nat.max Q (2 * f + 2 * p + 1) in let F := n - p in let w := d - p - f in
  let bf := Nat.max Q (n + 2 * f + p + 1 - d) in
  d <= n - f /\ n + f + 1 <= Q + d /\ Q <= F /\ n + f + 1 <= Q + bf /\ bf <= n /\
  f + 1 <= w /\ w + n + f <= d + F /\ n + f + 1 <= F + w /\ n + f + 1 <= bf + w.
Proof. lia. Qed.
(* twins: 0, or 1 where leaders leave out whom they see equivocate *)
Lemma repaired_numbers n f p Q twins : 3 * f + 2 * p <= n + twins -> twins <= 1 -> 1 <= p <= f ->
  n + f + 1 <= Q + Q <= n + f + 2 ->
  let d := Nat.max Q (2 * f + 2 * p - twins) in let F := n - p in let w1 := Nat.max 1 (d - p - f) in let w2 := p + f in
  d <= n - f /\ n + f + 1 <= Q + d /\ Q <= F /\ n + f + 1 <= d + F /\
  w1 + n + f <= d + F /\ w2 + n + f <= d + F + twins /\ n + f <= F + w2.
Proof. lia. Qed.
Print Assumptions P2'_accepted_kill.
Print Assumptions PF_anchor_commits.
Print Assumptions P3'_anchor_skips.
Print Assumptions P4'_skip_kills.
Print Assumptions two_delay_agreement.
Print Assumptions two_delay_ledger.
Print Assumptions repaired_agreement.
Print Assumptions repaired_ledger.

(* Reads accepted sets and prints what the proved rule (Oracle.v, extracted to Thresher_rule) decides.

   usage: thresher_rule_oracle [--any] < cases        (--any: also with thresholds that the proof does not cover)

     case N f v b c d a gap           committee size, fault bound, thresholds of Model.v; every node has stake 1
     slots FIRST TOP                  the slots that are decided; what lies below FIRST is garbage
     leaders L L ...                  who leads FIRST, FIRST+1, .., TOP
     block AUTHOR ROUND SELF VOTE CLAIM STATE PARENT ...    in order of rounds; edges are numbers of earlier blocks
                                      of the case, from 0, or -1; STATE: 0 signed only, 1 held, 2 held and accepted
     end                              prints one line: U, S or C followed by the block's number, a word a slot

   Input that breaks this form, an edge that does not lead to a lower round, or thresholds that are not lawful are an
   error: one line on stderr with the number of the line, exit status 2. *)
open Thresher_rule

exception Bad of string

type row = { author_ : int; round_ : int; self_ : int; vote_ : int; claim_ : int; parents_ : int list }
type case = {
  params : params; mutable first : int; mutable top : int; mutable leaders : int array;
  mutable rows : row list; mutable held : int list; mutable accepted : int list; mutable count : int;
  rounds : (int, int) Hashtbl.t }

let number word = match int_of_string_opt word with
  | Some k -> k | None -> raise (Bad ("'" ^ word ^ "' is no number"))

let params_of = function
  | [n; f; v; b; c; d; a; gap] ->
    { n; f; v; b; c; d; a; gap; wt = (fun _ -> 1); byz = (fun _ -> false); rule_dense = true; rule_self = true;
      rule_check = true; rule_stop = true; rule_wait = true }
  | _ -> raise (Bad "case needs N f v b c d a gap")

let fresh any numbers =
  let params = params_of numbers in
  if not any && not (lawful params) then raise (Bad "these thresholds are not covered by the proof");
  { params; first = 1; top = 0; leaders = [||]; rows = []; held = []; accepted = []; count = 0;
    rounds = Hashtbl.create 64 }

let edge case round e =
  if e < -1 || e >= case.count then raise (Bad "an edge to a block that was not given before");
  if e >= 0 && Hashtbl.find case.rounds e >= round then raise (Bad "an edge that does not lead to a lower round")

let add case = function
  | author_ :: round_ :: self_ :: vote_ :: claim_ :: state :: parents_ ->
    List.iter (edge case round_) (self_ :: vote_ :: claim_ :: parents_);
    if state < 0 || state > 2 then raise (Bad "a block's state is 0, 1 or 2");
    if state >= 1 then case.held <- case.count :: case.held;
    if state = 2 then case.accepted <- case.count :: case.accepted;
    Hashtbl.replace case.rounds case.count round_;
    case.rows <- { author_; round_; self_; vote_; claim_; parents_ } :: case.rows;
    case.count <- case.count + 1
  | _ -> raise (Bad "block needs AUTHOR ROUND SELF VOTE CLAIM STATE")

let blocks_of case =
  let rows = Array.of_list (List.rev case.rows) in
  let row (b : blk) = rows.((Obj.obj b : int)) in
  let optional e = if e < 0 then None else Some (Obj.repr e) in
  { beq_dec = (fun x y -> (Obj.obj x : int) = (Obj.obj y : int));
    author = (fun b -> (row b).author_); round = (fun b -> (row b).round_);
    self = (fun b -> optional (row b).self_); vote = (fun b -> optional (row b).vote_);
    claim = (fun b -> optional (row b).claim_);
    parents = (fun b -> List.map Obj.repr (row b).parents_) }

let answer case =
  if Array.length case.leaders <> case.top + 1 - case.first then raise (Bad "as many leaders as slots are needed");
  let blocks = blocks_of case in
  let leads r (b : blk) = r >= case.first && r <= case.top && blocks.author b = case.leaders.(r - case.first) in
  let as_blocks l = List.rev_map Obj.repr l in
  let view = { vh = as_blocks case.held; va = as_blocks case.accepted; vf = case.first - 1 } in
  let word = function Undecided -> "U" | Skip -> "S" | Commit b -> "C" ^ string_of_int (Obj.obj b : int) in
  decisions case.params blocks leads view (case.top + 1 - case.first) case.first
  |> List.map word |> String.concat " " |> print_endline

let obey any current line =
  match String.split_on_char ' ' line |> List.filter (fun w -> w <> "") with
  | [] -> current
  | "case" :: rest -> Some (fresh any (List.map number rest))
  | word :: rest ->
    let case = match current with Some c -> c | None -> raise (Bad "the first line is not a case") in
    let numbers = List.map number rest in
    (match word, numbers with
     | "slots", [first; top] -> case.first <- first; case.top <- top
     | "leaders", _ -> case.leaders <- Array.of_list numbers
     | "block", _ -> add case numbers
     | "end", [] -> answer case
     | _ -> raise (Bad ("'" ^ word ^ "' is unknown or has the wrong number of words")));
    if word = "end" then None else current

let () =
  let any = Array.exists (( = ) "--any") Sys.argv in
  let line = ref 0 in
  try
    let current = ref None in
    (try while true do
        let text = input_line stdin in
        incr line;
        current := obey any !current text
      done with End_of_file -> ());
    if !current <> None then raise (Bad "the input ends within a case")
  with Bad why -> Printf.eprintf "thresher_rule_oracle: line %d: %s\n" !line why; exit 2

(* Runs the extracted model on scripted oracle answers: one case a line on standard input, one JSON object a line on
   standard output.  Words are separated by blanks.  A number is "n/d" in binary, n with an optional minus sign, so that
   its size does not matter; oracle answers are tables indexed by the position of the call (t, q, i or t, k from 1;
   prompts q and responses y from 0), so that the order in which OCaml evaluates does not matter.

   run T M G K d  sizes[M]  theta_0[d]  rewards[M][size]  references[M][size]  draws[T][M][G]
       then for every t, k:  step  "u" | "g" gradient[d]  member(0|1)
   objective M d epsilon beta  then for every prompt:  size old[size] reference[size] current[size]
       slopes[size][d] G (response reward)[G]
   draw n masses[n] bits   with the bits in one word, "-" for none *)
open Model

let rec positive_of_bits bits i acc =
  if i = String.length bits then acc
  else positive_of_bits bits (i + 1) (if bits.[i] = '1' then XI acc else XO acc)

let positive bits =
  match bits.[0] with '1' -> positive_of_bits bits 1 XH | _ -> failwith ("not a positive number: " ^ bits)

let integer text =
  if text = "0" then Z0
  else if text.[0] = '-' then Zneg (positive (String.sub text 1 (String.length text - 1)))
  else Zpos (positive text)

let rational text =
  match String.index_opt text '/' with
  | Some i -> { qnum = integer (String.sub text 0 i);
                qden = positive (String.sub text (i + 1) (String.length text - i - 1)) }
  | None -> failwith ("not a rational number: " ^ text)

let rec bits = function XH -> "1" | XO p -> bits p ^ "0" | XI p -> bits p ^ "1"

let show { qnum; qden } =
  let numerator = match qnum with Z0 -> "0" | Zpos p -> bits p | Zneg p -> "-" ^ bits p in
  "\"" ^ numerator ^ "/" ^ bits qden ^ "\""

(* Reading words *)
let words = ref [||]
let next_word = ref 0
let word () = let w = !words.(!next_word) in incr next_word; w
let number () = int_of_string (word ())
let value () = rational (word ())
(* Array.init and List.init read in index order. *)
let table n read = Array.init n (fun _ -> read ())
let several n read = List.init n (fun _ -> read ())

(* Writing JSON *)
let listed show items = "[" ^ String.concat "," (List.map show items) ^ "]"
let vector = listed show
let truth b = if b then "true" else "false"

let frozen_data { old_parameter; reference; groups } =
  let draw (y, r) = Printf.sprintf "[%d,%s]" y (show r) in
  let group (q, g) = Printf.sprintf "[%d,%s]" q (listed draw g) in
  Printf.sprintf "{\"theta_old\":%s,\"reference\":%s,\"groups\":%s}"
    (vector old_parameter) (listed vector reference) (listed group groups)

let event = function
  | Started (t, old) -> Printf.sprintf "[\"started\",%d,%s]" t (vector old)
  | Drew (t, q, i, y) -> Printf.sprintf "[\"drew\",%d,%d,%d,%d]" t q i y
  | Rewarded (t, q, i, r) -> Printf.sprintf "[\"rewarded\",%d,%d,%d,%s]" t q i (show r)
  | Asked_gradient (t, k, frozen, theta, answer) ->
    Printf.sprintf "[\"asked_gradient\",%d,%d,%s,%s,%s]" t k (frozen_data frozen) (vector theta)
      (match answer with None -> "null" | Some g -> vector g)
  | Asked_membership (t, k, proposal, answer) ->
    Printf.sprintf "[\"asked_membership\",%d,%d,%s,%s]" t k (vector proposal) (truth answer)
  | Applied (t, k, theta) -> Printf.sprintf "[\"applied\",%d,%d,%s]" t k (vector theta)

let status = function
  | Complete -> "complete" | Undefined_gradient -> "undefined-gradient" | Invalid_update -> "invalid-update"

let run_case () =
  let outer = number () in let prompts = number () in let size = number () in let inner = number () in
  let dimension = number () in
  let sizes = table prompts number in
  let theta_0 = several dimension value in
  let rewards = Array.map (fun n -> table n value) sizes in
  let references = List.map (fun n -> several n value) (Array.to_list sizes) in
  let draws = table outer (fun () -> table prompts (fun () -> table size number)) in
  let step () =
    let eta = value () in
    let gradient = match word () with
      | "u" -> None | "g" -> Some (several dimension value) | w -> failwith ("not a gradient: " ^ w) in
    (eta, gradient, number () = 1) in
  let steps = table outer (fun () -> table inner step) in
  let at t k = steps.(t - 1).(k - 1) in
  let operations = {
    draw = (fun t q i _ -> draws.(t - 1).(q).(i - 1));
    reward_of = (fun q y -> rewards.(q).(y));
    gradient = (fun t k _ _ -> let _, g, _ = at t k in g);
    propose = (fun t k theta g -> let eta, _, _ = at t k in List.map2 (rational_step eta) theta g);
    member = (fun t k _ -> let _, _, m = at t k in m) } in
  let plan = { outer_budget = outer; prompts = List.init prompts Fun.id; group_size = size; inner_budget = inner;
               reference_policy = references } in
  let { returned; ended; trace } = run operations plan theta_0 in
  Printf.printf "{\"status\":\"%s\",\"theta\":%s,\"trace\":%s}\n" (status ended) (vector returned) (listed event trace)

let objective_case () =
  let prompts = number () in let dimension = number () in let epsilon = value () in let beta = value () in
  let prompt _ =
    let n = number () in
    let old = table n value in let reference = table n value in let current = table n value in
    let slopes = table n (fun () -> table dimension value) in
    let size = number () in
    let group = several size (fun () -> let y = number () in let r = value () in (y, r)) in
    (n, old, reference, current, slopes, group) in
  let all = table prompts prompt in
  let responses q = let n, _, _, _, _, _ = all.(q) in List.init n Fun.id in
  let old q y = let _, m, _, _, _, _ = all.(q) in m.(y) in
  let reference q y = let _, _, m, _, _, _ = all.(q) in m.(y) in
  let current q y = let _, _, _, m, _, _ = all.(q) in m.(y) in
  let slope axis q y = let _, _, _, _, s, _ = all.(q) in s.(y).(axis) in
  let groups = List.init prompts (fun q -> let _, _, _, _, _, g = all.(q) in (q, g)) in
  let per_draw f = listed (fun (q, g) -> listed (fun d -> show (f q g d)) g) groups in
  let advantage _ g d = rational_advantage g d in
  let ratio q _ (y, _) = rational_ratio old current q y in
  let term q g d = rational_term epsilon (advantage q g d) (ratio q g d) in
  let gradient = rational_gradient epsilon beta responses old reference current groups (List.init dimension slope) in
  Printf.printf
    "{\"advantages\":%s,\"ratios\":%s,\"terms\":%s,\"divergences\":%s,\"objective\":%s,\"gradient\":%s}\n"
    (per_draw advantage) (per_draw ratio) (per_draw term)
    (listed (fun (q, _) -> show (rational_divergence responses reference current q)) groups)
    (show (rational_objective epsilon beta responses old reference current groups))
    (match gradient with None -> "null" | Some g -> vector g)

let draw_case () =
  let n = number () in
  let masses = several n value in
  let bits = match word () with "-" -> [] | w -> List.init (String.length w) (fun i -> w.[i] = '1') in
  print_endline (match rational_draw masses bits with None -> "null" | Some j -> string_of_int j)

let () =
  try
    while true do
      words := Array.of_list (String.split_on_char ' ' (input_line stdin));
      next_word := 0;
      (match word () with
       | "run" -> run_case ()
       | "objective" -> objective_case ()
       | "draw" -> draw_case ()
       | w -> failwith ("not a case: " ^ w));
      if !next_word <> Array.length !words then failwith "words left over"
    done
  with End_of_file -> ()

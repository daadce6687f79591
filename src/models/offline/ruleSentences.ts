import type { AnchorKind } from "../../core/capsule/contextSummary.ts";
import { withoutQuotes } from "./sentences.ts";

/** What kind of standing word a person's sentence is, and how sure that is. */
export interface Rule {
  readonly kind: AnchorKind;
  /** 2: cannot be meant otherwise; 1: likely. */
  readonly weight: 1 | 2;
}

const words = (...alternatives: string[]) =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join("|")})(?![\\p{L}\\p{N}])`, "iu");

/** Prohibitions and duties, by language. Scripts without blanks between words are matched anywhere. */
const STRONG = [
  words(
    "never",
    "always",
    "must(?:n['’]t)?",
    "shall(?: not)?",
    "forbidden",
    "not allowed",
    "under no circumstances",
  ),
  words("from now on", "at all times", "no matter what", "make sure", "mandatory"),
  words(
    "(?:nothing|nobody|no one|no \\p{L}+) .{1,80}may",
    "may (?:not|only)",
    "(?:stop and )?ask me (?:first|before)",
    "stop and ask",
  ),
  /(?<!\b(?:i|we|they|you|it|people|users|tests)\s)\b(?:don['’]?t|do not)\b(?! (?:know|think|see|understand|worry))/i,
  words(
    "niemals",
    "nie",
    "immer",
    "muss",
    "müssen",
    "darf(?:st)? (?:nicht|kein\\w*|nie)",
    "dürfen (?:nicht|keine?)",
    "auf keinen fall",
    "ab jetzt",
  ),
  words(
    "jamais",
    "toujours",
    "doit",
    "doivent",
    "il faut",
    "ne (?:\\p{L}+ ){1,2}pas",
    "interdit",
    "désormais",
  ),
  words(
    "nunca",
    "siempre",
    "debe[ns]?",
    "prohibido",
    "no (?:uses|usar|hagas|hacer|toques|tocar|cambies)",
    "a partir de ahora",
  ),
  words(
    "sempre",
    "deve[mn]?",
    "devono",
    "proibido",
    "não (?:use|faça|altere|toque)",
    "a partir de agora",
    "non (?:usare|fare|toccare|modificare)",
    "vietato",
    "d['’]ora in poi",
  ),
  words("никогда", "всегда", "долж(?:ен|на|но|ны)", "нельзя", "запрещено", "обязательно", "отныне"),
  /必须|不要|禁止|永远|总是|务必|不得|不能|必ず|絶対|しないで|してはいけない|してください|반드시|절대|하지 ?마|금지|항상/u,
];

/** A rule when it is said to somebody: see `SPEAKS_OF_SELF`. */
const LIKELY = [
  words("avoid", "instead of", "use .{1,60} instead", "prefer", "unless", "at most", "at least"),
  words("only (?:use|write|touch|change|edit|run|push|commit|ever|when|if|with|in)"),
  /^(?:please |and |but )?only\b/i,
  /^(?:i want|i['’]d like|we want)\b.*\bonly[.!]?$/i,
  words("exactly \\d[\\d.,]*"),
  words(
    "nur",
    "statt(?:dessen)?",
    "kein(?:e|en|er)?",
    "vermeide",
    "seulement",
    "uniquement",
    "au lieu de",
    "évite[rz]?",
  ),
  words(
    "solo",
    "sólo",
    "solamente",
    "en (?:lugar|vez) de",
    "evita[r]?",
    "apenas",
    "somente",
    "em vez de",
    "invece di",
    "soltanto",
  ),
  words("только", "вместо", "избегай(?:те)?"),
  /只能|只用|而不是|避免|のみ|だけ|代わりに|避け|대신|오직/u,
];

/** Guesses, reports and remarks are no rules, whatever words they use. */
const SPEAKS_OF_SELF =
  /(?<![\p{L}])(?:i(?! prefer|['’]d prefer|['’]d rather| want| need)|i['’]?m|it['’]?s|there['’]?s|that['’]?s|there (?:is|are)|was|were|seems?|ich|je|creo)(?![\p{L}])/iu;

const DECISION = [
  words(
    "let['’]?s (?:use|go with|keep|switch|take|stick)",
    "we(?:['’]ll| will)? (?:decided|chose|agreed|go with)",
    "i(?:['’]ve)? (?:decided|chose)",
    "go with",
    "decision is",
  ),
  words(
    "wir (?:nehmen|verwenden|haben entschieden)",
    "on (?:prend|utilise|garde)",
    "vamos (?:a usar|usar)",
    "usiamo",
    "решили",
  ),
];

const REMEMBER = [
  words(
    "remember",
    "keep in mind",
    "note that",
    "for the record",
    "important",
    "merke dir",
    "beachte",
    "wichtig",
    "n['’]oublie[rz]? pas",
    "recuerda",
    "lembre(?:-se)?",
    "ricorda(?:ti)?",
    "запомни(?:те)?",
    "важно",
  ),
  /记住|注意|覚えて|기억/u,
];

/** What a person labels in capitals, as in notes; other labels are left to the words after them. */
const LABELS: readonly (readonly [label: RegExp, kind: AnchorKind])[] = [
  [/^(?:(?:HARD|SAFETY|SECURITY) )?(?:RULES?|CONSTRAINTS?|REQUIREMENTS?|LIMITS?):\s/, "constraint"],
  [/^(?:(?:USER|MY) )?PREFERENCES?:\s/, "constraint"],
  [/^(?:FACTS?|NOTE|IMPORTANT|REMEMBER|FYI):\s/, "fact"],
  [/^(?:GOAL|GOALS|GOAL STATE|STATE|NEXT|NEXT STEPS?|TODO):\s/, "next"],
  [/^DECISIONS?:\s/, "decision"],
];

/** The sentence says that something said before no longer holds or holds otherwise. */
const CHANGE = [
  words(
    "actually",
    "instead(?: of)?",
    "no longer",
    "not any ?more",
    "changed my mind",
    "change of plans?",
    "moved to",
    "scrap",
    "forget",
    "drop the",
    "is now",
    "are now",
    "rather than",
    "correction",
    "replace[sd]?",
    "switch(?:ed)? to",
  ),
  words(
    "stattdessen",
    "nicht mehr",
    "doch lieber",
    "plutôt",
    "ne plus",
    "au lieu de",
    "en (?:lugar|vez) de",
    "ya no",
    "em vez de",
    "invece di",
    "non più",
    "больше не",
    "вместо",
  ),
  /不再|而不是|改为|改成|代わりに|変更|대신/u,
];

const LEAST_CHARACTERS = 6;

/** The rule, choice or fact to remember that a person's sentence states; undefined for any other sentence. */
export function ruleIn(sentence: string): Rule | undefined {
  const own = withoutQuotes(sentence).trim();
  if (own.length < LEAST_CHARACTERS || /[?？]["'”’)]*$/u.test(own)) return undefined;
  const label = LABELS.find(([pattern]) => pattern.test(own));
  if (label !== undefined) return { kind: label[1], weight: 2 };
  const says = (patterns: readonly RegExp[]) => patterns.some((pattern) => pattern.test(own));
  if (says(STRONG)) return { kind: "constraint", weight: 2 };
  if (says(REMEMBER)) return { kind: "fact", weight: 2 };
  if (says(DECISION)) return { kind: "decision", weight: 1 };
  if (says(LIKELY) && !SPEAKS_OF_SELF.test(own)) return { kind: "constraint", weight: 1 };
  return undefined;
}

export function saysChange(sentence: string): boolean {
  const own = withoutQuotes(sentence);
  return CHANGE.some((pattern) => pattern.test(own));
}

const ENOUGH_SHARED = 0.6;
const LEAST_SHARED_WORDS = 2;
const EMPTY_WORDS = new Set(
  "the and for every each also with that this from are was not you use all any can but into only never always must instead actually now longer please".split(
    " ",
  ),
);

/**
 * How much of an older sentence comes back in one that says a change: 0 where they do not speak of the same thing,
 * else the share of its words, at most 1. Values (numbers, names, anything with a digit) are what changes: those
 * that do not come back do not count.
 */
export function sameSubject(change: string, older: string): number {
  const newWords = new Set(contentWords(change));
  const oldWords = contentWords(older).filter((word) => newWords.has(word) || !isValue(word, older));
  const shared = oldWords.filter((word) => newWords.has(word)).length;
  const share = shared / Math.max(1, oldWords.length);
  return shared >= LEAST_SHARED_WORDS && share >= ENOUGH_SHARED ? share : 0;
}

/** Whether one sentence says another again with other numbers: "the cap is 5" and "the cap is 7". */
export function restatesValue(later: string, earlier: string): boolean {
  if (later === earlier) return false;
  const skeleton = skeletonOf(later);
  return VALUE_OF_SUBJECT.test(skeleton) && skeleton === skeletonOf(earlier);
}

const NUMBER = /(?<![\p{L}\p{N}_-])[$€£]?\d[\d.,:/-]*%?(?![\p{L}\p{N}_])/gu;
const MARK = "\u0000";
/** The number is what is said of the subject, and no part of the subject's name: that would be another subject. */
const VALUE_OF_SUBJECT = new RegExp(
  `^[^${MARK}]*\\b(?:is|are|be|stays?|remains?|equals?|ist|sind|bleibt|est|sont|es|son|é|è)\\b[^${MARK}]*${MARK}`,
  "iu",
);

function skeletonOf(sentence: string): string {
  return sentence.toLowerCase().replace(NUMBER, MARK).replace(/\s+/g, " ").trim();
}

function isValue(word: string, sentence: string): boolean {
  if (/\p{N}/u.test(word)) return true;
  const at = sentence.toLowerCase().indexOf(word);
  const first = sentence.charAt(at);
  const isCapital = first !== first.toLowerCase();
  return isCapital && at > 0 && !/[.!?]\s+$/u.test(sentence.slice(0, at));
}

function contentWords(text: string): string[] {
  const found = text.toLowerCase().match(/[\p{L}\p{N}_./-]{3,}/gu) ?? [];
  return [...new Set(found.map((word) => singular(word.replace(/[./-]+$/, ""))))].filter(
    (word) => !EMPTY_WORDS.has(word),
  );
}

/** English plurals and third persons, so that "writes" is "write"; in other words only the end is cut alike. */
function singular(word: string): string {
  return word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

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

/** The sentence says that something said before no longer holds or holds otherwise. */
const CHANGE = [
  words(
    "actually",
    "instead(?: of)?",
    "no longer",
    "not any ?more",
    "changed my mind",
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
  "the and for with that this from are was not you use all any can but into only never always must instead actually now longer please".split(
    " ",
  ),
);

/** Whether a sentence that says a change speaks of the same thing as an older one: most of its words come back. */
export function isAboutTheSame(change: string, older: string): boolean {
  const newWords = new Set(contentWords(change));
  const oldWords = contentWords(older);
  const shared = oldWords.filter((word) => newWords.has(word)).length;
  return shared >= LEAST_SHARED_WORDS && shared >= oldWords.length * ENOUGH_SHARED;
}

function contentWords(text: string): string[] {
  const found = text.toLowerCase().match(/[\p{L}\p{N}_./-]{3,}/gu) ?? [];
  return [...new Set(found.map((word) => word.replace(/[./-]+$/, "")))].filter(
    (word) => !EMPTY_WORDS.has(word),
  );
}

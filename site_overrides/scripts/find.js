/* Finds the failure that printed a line. What enters is text as it was pasted: times, ranks, paths and
 * numbers around a message do no harm, and nothing in it is an operator.
 *
 * A message is worth what its words tell: a word that few failures print tells more. It counts as
 * printed where all its fixed pieces stand in the text, in their order; otherwise by how much of it is
 * there, or, for a few typed words, by how much of them it holds. */
"use strict";
(() => {
  const LONGEST = 100000;
  const MOST = 12;
  // What a message alone makes the diagnosis: possible, likely, certain.
  const BY_WORTH = [0, 0.8, 0.95, 1];
  const OF_TITLE = 0.6;
  const OF_WORDS = 0.3;
  // Results that tell less than this share of the best are left out.
  const LEAST = 0.25;
  const MOSTLY = 0.6;
  // What a long text that holds all the words is worth beside a short one.
  const WIDE = 0.7;

  const EXCEPTION = /\b[A-Z]\w{0,80}(?:Error|Exception)\b/;

  const squeezed = (text) => text.toLowerCase().replace(/\s+/g, " ");
  const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];

  /* One thing that may be found: a message, a title, or further words of a page. */
  function units(page, placeholder) {
    const messages = page.messages.map(([text, worth]) => {
      const pieces = text.split(placeholder).map((one) => squeezed(one).trim()).filter(Boolean);
      return { page, text, worth, pieces, words: new Set(words(pieces.join(" "))), share: BY_WORTH[worth] };
    });
    const title = { page, words: new Set(words(`${page.title} ${page.at}`)), share: OF_TITLE };
    const further = { page, words: new Set(words(`${page.title} ${page.says} ${page.words}`)), share: OF_WORDS };
    return [...messages, title, further];
  }

  function pagesByWord(all) {
    const known = new Map();
    for (const unit of all) {
      for (const word of unit.words) {
        if (!known.has(word)) known.set(word, { units: [], pages: new Set() });
        known.get(word).units.push(unit);
        known.get(word).pages.add(unit.page);
      }
    }
    return known;
  }

  const stands = (pieces, text) => {
    let at = 0;
    return pieces.every((piece) => {
      const found = text.indexOf(piece, at);
      at = found + piece.length;
      return found >= 0;
    });
  };

  globalThis.trainwreckFinder = ({ kinds, pages }) => {
    const placeholder = new RegExp(`<(?:${kinds.join("|")})>|\\.\\.\\.`);
    const all = pages.flatMap((page) => units(page, placeholder));
    const known = pagesByWord(all);
    const tells = (word) => Math.log(1 + pages.length / known.get(word).pages.size);
    const sum = (some) => [...some].reduce((total, word) => total + tells(word), 0);

    for (const unit of all) unit.total = sum(unit.words);

    /* The words of a query that are known; the last may be unfinished. */
    function asked(query) {
      const typed = words(query);
      const whole = new Set(typed.filter((word) => known.has(word)));
      const last = typed.at(-1);
      if (last && last.length > 1 && /[\p{L}\p{N}]$/u.test(query) && !known.has(last)) {
        for (const word of known.keys()) if (word.startsWith(last)) whole.add(word);
      }
      return whole;
    }

    function rated(unit, found, text, wanted) {
      const got = sum(found);
      const printed = Boolean(unit.pieces) && stands(unit.pieces, text);
      const there = got / unit.total;
      const covered = Math.max(there, (got / wanted) * (WIDE + (1 - WIDE) * there));
      return { unit, printed, there, score: got * unit.share * (printed ? 2 : covered) };
    }

    /* An exception may be any: what is met by all of them stands behind the messages of which most is there. */
    function withGeneral(results, query, wanted) {
      if (!EXCEPTION.test(query) || results.some((one) => one.printed)) return results;
      const general = pages.filter((page) => page.exceptions).map((page) => ({
        page, message: "", worth: 1, printed: false, there: 0, words: wanted, score: 0,
      }));
      const others = results.filter((one) => !one.page.exceptions);
      const near = others.filter((one) => one.message && one.there > MOSTLY);
      return [...near, ...general, ...others.filter((one) => !near.includes(one))];
    }

    /* Pages, the most telling first: what of each was found, and whether it stands there as printed. */
    return (query) => {
      const text = squeezed(query.slice(0, LONGEST));
      const wanted = asked(text.trim());
      const found = new Map();
      for (const word of wanted) {
        for (const unit of known.get(word).units) {
          if (!found.has(unit)) found.set(unit, []);
          found.get(unit).push(word);
        }
      }
      const total = sum(wanted);
      const best = new Map();
      const beside = new Map();
      for (const [unit, some] of found) {
        const one = rated(unit, some, text, total);
        if (!unit.pieces) beside.set(unit.page, Math.max(beside.get(unit.page) || 0, one.score));
        if (!best.has(unit.page) || best.get(unit.page).score < one.score) best.set(unit.page, one);
      }
      const results = [...best.values()].map((one) => ({
        page: one.unit.page,
        message: one.unit.text || "",
        worth: one.unit.worth || 0,
        printed: one.printed,
        there: one.there,
        words: wanted,
        // Of two failures that print the same, the one whose title says it too stands first.
        score: one.score + 0.1 * (beside.get(one.unit.page) || 0),
      }));
      results.sort((one, other) => other.score - one.score || (one.page.at < other.page.at ? -1 : 1));
      const telling = results.filter((one) => one.score >= LEAST * results[0].score);
      return withGeneral(telling, query, wanted).slice(0, MOST);
    };
  };
})();

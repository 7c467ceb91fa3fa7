/* A pasted line of a log is words to look for, not a query with operators. In `exitcode: -9` the
 * search would take the minus as "without" and the colon as the name of a field, and every word as
 * the beginning of longer ones. The box shows what was typed; the search reads plain words, of
 * which only the last may be unfinished. */
(() => {
  const box = document.querySelector("[data-md-component=search-query]");
  if (!box) return;
  const typed = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  const words = (text) => text.split(/[^\p{L}\p{N}.]+|\.(?!\d)/u).filter(Boolean);
  // A weight, here of one, is what makes the search take a word as it stands.
  const whole = (word, at, all) => at < all.length - 1 || (at && word.length < 3) ? `${word}^1` : word;
  Object.defineProperty(box, "value", {
    get() { return words(typed.get.call(this)).map(whole).join(" "); },
    set(text) { typed.set.call(this, text); },
  });
})();

/* How pages are ranked in a search: those that teach come before those of single functions, and those for developers and
   about the ancestors come last. The numbers below `score` are Sphinx's own. */
"use strict";

var Scorer = {
  score: ([page, title, anchor, description, score]) => {
    if (/^(developer|ancestors|conformance|accuracy|upstream)/.test(page)) return score - 8;
    return /^(guide|how-to|first-steps|install|faq|configuration)/.test(page) ? score + 4 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

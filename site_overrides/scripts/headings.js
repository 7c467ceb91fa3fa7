/* A link to each question of a page, beside it. */
"use strict";
document.querySelectorAll(".md-typeset :is(h1, h2, h3)[id]").forEach((heading) => {
  const link = document.createElement("a");
  link.className = "headerlink";
  link.href = `#${heading.id}`;
  link.title = "Link to this question";
  link.textContent = "¶";
  heading.append(link);
});

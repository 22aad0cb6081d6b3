// Runs in the browser, where the page shows it: what is painted, where, and in which colours. Its last expression is the result.
(() => {
  const isShown = (element) => element.getClientRects().length > 0;

  /** Any CSS colour as red, green, blue and opacity, from 0 to 1; painted, so that the browser itself reads it. */
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const brush = canvas.getContext('2d', { willReadFrequently: true });
  const colourOf = (text) => {
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = text;
    brush.fillRect(0, 0, 1, 1);
    return [...brush.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
  };
  const luminanceOf = (text) => {
    const [red, green, blue] = colourOf(text)
      .slice(0, 3)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  /** WCAG 2.2, contrast ratio. */
  const contrastOf = (a, b) => {
    const [darker, lighter] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => x - y);
    return (lighter + 0.05) / (darker + 0.05);
  };
  const groundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (colourOf(backgroundColor)[3] === 1) return backgroundColor;
    }
    return 'white';
  };

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.textContent.trim() === '' || element.closest('svg, style') !== null || !isShown(element))
      continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const { left, right } = range.getBoundingClientRect();
    const isScrolled = element.closest('.scroll') !== null;
    texts.push({
      text: node.textContent.trim().slice(0, 60),
      contrast: contrastOf(getComputedStyle(element).color, groundOf(element)),
      size: Number.parseFloat(getComputedStyle(element).fontSize),
      isOutside: !isScrolled && (left < 0 || right > window.innerWidth + 0.5),
    });
  }

  const bars = [...document.querySelectorAll('#chart rect')].map((bar) => ({
    kind: bar.getAttribute('class'),
    width: bar.getBoundingClientRect().width,
    contrast: contrastOf(getComputedStyle(bar).fill, groundOf(bar)),
  }));
  return {
    texts,
    bars,
    width: document.documentElement.scrollWidth,
    height: document.documentElement.scrollHeight,
    headings: [...document.querySelectorAll('h1, h2, h3')].map((heading) => Number(heading.tagName[1])),
  };
})();

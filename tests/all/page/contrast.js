// Texts of the page whose contrast against what lies behind them is less than WCAG AA wants: 4.5, of large letters 3. An image may be black and white.
(() => {
  const channels = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (colour) => {
    const [red, green, blue] = colour.map((value) => value / 255).map((it) => it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const mixed = (above, below, part) => below.map((value, at) => above[at] * part + value * (1 - part));
  const behind = (it) => {
    if (!it.ownerSVGElement) {
      const [red, green, blue, alpha = 1] = channels(getComputedStyle(it).backgroundColor);
      return alpha > 0 ? [[red, green, blue]] : behind(it.parentElement);
    }
    const own = it.getBoundingClientRect();
    const [x, y] = [own.x + own.width / 2, own.y + own.height / 2];
    let colours = behind(it.ownerSVGElement.parentElement);
    for (const below of it.ownerSVGElement.children) {
      if (below === it) break;
      const box = below.getBoundingClientRect();
      if (box.left > x || box.right < x || box.top > y || box.bottom < y) continue;
      if (below.tagName === 'image') colours = [[0, 0, 0], [255, 255, 255]];
      const style = getComputedStyle(below);
      if (below.tagName === 'rect') colours = colours.map((colour) => mixed(channels(style.fill), colour, Number(style.fillOpacity)));
    }
    return colours;
  };
  const found = [];
  for (const it of document.querySelectorAll('main *')) {
    const told = [...it.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!told || !it.getClientRects().length) continue;
    const style = getComputedStyle(it);
    let opacity = Number(style.fillOpacity);
    for (let around = it; around; around = around.parentElement) opacity *= getComputedStyle(around).opacity;
    const ratios = behind(it).map((below) => {
      const ink = mixed(channels(it.ownerSVGElement ? style.fill : style.color), below, opacity);
      const [low, high] = [light(ink), light(below)].sort((one, other) => one - other);
      return high / low;
    });
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 600);
    if (Math.min(...ratios) < (large ? 3 : 4.5)) found.push(`${it.textContent.trim().slice(0, 40)}: ${Math.min(...ratios).toFixed(2)}`);
  }
  return found;
})()

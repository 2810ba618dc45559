// Reads exact values off the charts, under the pointer and by keyboard. Without it, the same numbers are in the tables.
"use strict";
(() => {
  const HINT = "Point at the picture, or reach it with Tab and use the arrow keys (with Shift ten at a time, Home, End).";
  const figures = JSON.parse(document.getElementById("readouts").textContent);

  for (const { id, frames, plots } of figures) {
    const figure = document.getElementById(id);
    const output = figure.querySelector("output");
    if (!plots.length) continue;
    output.textContent = HINT;
    const tables = figure.querySelectorAll("table");
    // The wide picture and the narrow one, of which one is shown.
    for (const [view, picture] of figure.querySelectorAll(".picture > svg").entries()) {
      const make = (name, attributes) => {
        const element = document.createElementNS(picture.namespaceURI, name);
        set(element, attributes);
        return element;
      };
      const overlay = make("svg", { class: "overlay", viewBox: picture.getAttribute("viewBox") });
      picture.after(overlay);
      for (const [at, plot] of plots.entries()) {
        const frame = frames[view][at];
        const reader = plot.cells ? cells(plot, frame) : along(plot, frame, tables[at]);
        const [x, y, width, height] = frame;
        const probe = make("rect", {
          class: "probe", x, y, width, height, tabindex: 0, role: "application",
          "aria-roledescription": "plot",
          "aria-label": `${plot.title || picture.getAttribute("aria-label")}: arrow keys read its values`,
        });
        const cursors = [["cursor halo", 4], ["cursor", 1.5]].map(([name, stroke]) =>
          make(reader.shape, { class: name, "stroke-width": stroke, visibility: "hidden" }));
        overlay.append(probe, ...cursors);
        watch(probe, cursors, output, reader);
      }
    }
  }

  function set(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  }

  // Keeps the place that is read: a column, and a row where there are rows.
  function watch(probe, cursors, output, reader) {
    let place = [0, 0];
    const show = async (next) => {
      place = next.map((at, axis) => Math.min(reader.size[axis] - 1, Math.max(0, at)));
      for (const cursor of cursors) set(cursor, { ...reader.mark(...place), visibility: "visible" });
      const here = place;
      const told = await reader.tell(...place);
      if (here === place) output.textContent = told;
    };
    const hide = () => {
      if (document.activeElement === probe) return;
      for (const cursor of cursors) set(cursor, { visibility: "hidden" });
    };
    const point = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(probe.getScreenCTM().inverse());
      show(reader.nearest(at.x, at.y));
    };
    probe.addEventListener("pointermove", point);
    probe.addEventListener("pointerdown", point);
    probe.addEventListener("pointerleave", hide);
    probe.addEventListener("blur", hide);
    probe.addEventListener("focus", () => { if (probe.matches(":focus-visible")) show(place); });
    probe.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 10 : 1;
      const far = reader.size[0];
      const move = {
        ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step],
        Home: [-far, 0], End: [far, 0],
      }[event.key];
      if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      show([place[0] + move[0], place[1] + move[1]]);
    });
  }

  // Rows of the plot's table, each at a place along the horizontal axis or at a mark.
  function along({ title, along: parts }, [left, top, width, height], table) {
    const places = parts.map(([right, down]) => [left + right * width, down === null ? null : top + down * height]);
    const marks = places.length > 0 && places[0][1] !== null;
    const [names, ...rows] = [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent));
    const distance = ([across, down], x, y) => Math.hypot(across - x, marks ? down - y : 0);
    return {
      size: [places.length, 1],
      shape: marks ? "circle" : "line",
      nearest: (x, y) => {
        let best = 0;
        places.forEach((place, at) => {
          if (distance(place, x, y) < distance(places[best], x, y)) best = at;
        });
        return [best, 0];
      },
      mark: (column) => {
        const [x, y] = places[column];
        return marks ? { cx: x, cy: y, r: 9 } : { x1: x, x2: x, y1: top, y2: top + height };
      },
      tell: (column) => {
        const [label, ...values] = rows[column];
        const told = values.map((value, at) => `${names[at + 1]} ${value}`).join(" · ");
        return `${title ? `${title}, ` : ""}${label}: ${told}`;
      },
    };
  }

  // Writes by time and key.
  function cells({ cells: { keys, times, counts, edges: parts } }, [left, top, width, height]) {
    const edges = parts.map((down) => top + down * height);
    const wide = width / times.length;
    let unpacked = null;
    return {
      size: [times.length, keys.length],
      shape: "rect",
      nearest: (x, y) => [Math.floor((x - left) / wide), edges.findLastIndex((edge) => edge >= y)],
      mark: (column, row) => ({
        x: left + column * wide - 1, y: edges[row + 1] - 1, width: wide + 2, height: edges[row] - edges[row + 1] + 2,
      }),
      tell: async (column, row) => {
        unpacked ??= unpack(counts);
        const count = (await unpacked)[row * times.length + column];
        const writes = count === 1 ? "1 write" : `${grouped(count)} writes`;
        return `${times[column]}, keys from ${keys[row]}: ${writes}`;
      },
    };
  }

  // Whole numbers of seven bits a byte, least first, deflated, in base64.
  async function unpack(base64) {
    const deflated = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
    const numbers = [];
    let number = 0;
    let scale = 1;
    for (const byte of new Uint8Array(await new Response(stream).arrayBuffer())) {
      number += (byte & 127) * scale;
      if (byte & 128) {
        scale *= 128;
      } else {
        numbers.push(number);
        number = 0;
        scale = 1;
      }
    }
    return numbers;
  }

  function grouped(number) {
    return String(number).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
  }
})();

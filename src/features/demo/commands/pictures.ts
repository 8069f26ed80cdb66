import { once } from "node:events";
import { createServer } from "node:http";
import { findFreePort } from "../../../cli/running/port.ts";

// The picture URLs in the sample files lead nowhere. The demo replaces them with drawings, because
// it has no photographs that it may show.

type Drawing = {
  background: [top: string, bottom: string];
  /** Width and height in pixels; 800 × 600 if absent. */
  size?: [number, number];
  /** SVG elements. */
  shapes: string;
};

const circle = (x: number, y: number, radius: number, fill: string): string =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}"/>`;
const rect = (x: number, y: number, width: number, height: number, fill: string, radius = 0) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}"/>`;
const path = (d: string, fill: string): string => `<path d="${d}" fill="${fill}"/>`;
const stroke = (d: string, colour: string, width: number): string =>
  `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round"/>`;
const repeat = (count: number, draw: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => draw(i)).join("");

/** A person from the shoulders up; the hair is a circle behind the face. */
const person = (x: number, y: number, [skin, hair, clothes]: [string, string, string]): string =>
  path(`M${x - 95} ${y + 210}q0-110 95-110t95 110z`, clothes) +
  rect(x - 20, y + 40, 40, 75, skin, 18) +
  circle(x, y - 12, 78, hair) +
  path(`M${x - 50} ${y - 20}q0-50 50-50t50 50v34q0 58-50 58t-50-58z`, skin);

/** A chair of a salon in front of its round mirror. */
const salonChair = (x: number): string =>
  circle(x, 230, 82, "#fff7ea") +
  circle(x, 230, 68, "#dfe9e4") +
  rect(x - 52, 360, 104, 96, "#7c4a3a", 22) +
  rect(x - 64, 440, 128, 34, "#673b2e", 17) +
  rect(x - 8, 474, 16, 66, "#4b4340") +
  rect(x - 48, 536, 96, 14, "#4b4340", 7);

const plate = (x: number, y: number, radius: number): string =>
  circle(x, y + 8, radius, "#00000022") +
  circle(x, y, radius, "#fffdf6") +
  circle(x, y, radius * 0.78, "#f3ecdd");

const cup = (x: number, y: number): string =>
  circle(x, y, 62, "#fffdf6") + circle(x, y, 46, "#5b3418") + circle(x - 6, y - 6, 24, "#c99a63");

/** A musician as a silhouette. */
const musician = (x: number, height: number): string =>
  circle(x, 636 - height, 34, "#0b1230") +
  path(`M${x - 58} 600l16-${height - 90}q42-46 84 0l16 ${height - 90}z`, "#0b1230");

const DRAWINGS: Record<string, Drawing> = {
  "salon-front": {
    background: ["#f6e3cf", "#e9c9ab"],
    shapes:
      rect(0, 470, 800, 130, "#c79b78") +
      rect(60, 60, 680, 12, "#b98763", 6) +
      repeat(
        4,
        (i) =>
          stroke(`M${160 + i * 160} 72v50`, "#b98763", 4) +
          circle(160 + i * 160, 130, 16, "#ffe9a8"),
      ) +
      repeat(4, (i) => salonChair(160 + i * 160)),
  },
  cut: {
    background: ["#f3d9c8", "#d9a98b"],
    shapes:
      path("M250 600q-10-140 150-140t150 140z", "#3f4f52") +
      path("M255 250q0-150 145-150t145 150v150h-55V260H310v140h-55z", "#47291c") +
      path("M310 255q30-60 90-60t90 60v80q0 90-90 90t-90-90z", "#f0c7a6") +
      path("M300 270q40-90 190-30 10 10 5 40-90-50-195-10z", "#47291c") +
      stroke("M560 330l120 70M560 410l120-70", "#dfe3e6", 14) +
      circle(700, 412, 22, "#8c3f3f") +
      circle(700, 328, 22, "#8c3f3f"),
  },
  balayage: {
    background: ["#efe1d2", "#caa68a"],
    size: [600, 800],
    shapes: repeat(15, (i) =>
      stroke(
        `M${60 + i * 34} -20c60 200-70 260-10 430s-60 260 ${(i % 3) * 14} 420`,
        ["#4a2a1b", "#5d3722", "#7a4c2d", "#a8703f", "#d19d62"][(i * 2) % 5] ?? "",
        30,
      ),
    ),
  },
  maya: {
    background: ["#e7c9b0", "#b9836a"],
    size: [600, 600],
    shapes: `<g transform="translate(-20 60) scale(1.06)">${
      circle(300, 160, 120, "#2b1a14") + person(300, 250, ["#8a5638", "#2b1a14", "#31585a"])
    }</g>`,
  },
  "cafe-front": {
    background: ["#fbe7b8", "#f2c07a"],
    shapes:
      circle(610, 150, 72, "#fff4cf") +
      path("M0 330q120-70 240-20t260-20 300 30v280H0z", "#7ea39a") +
      path("M0 400q200-50 400-10t400-10v220H0z", "#4f8085") +
      repeat(4, (i) => path(`M${i * 220 - 40} 420h200v-20q-100-110-200 0z`, "#6d5a4a")) +
      rect(0, 396, 800, 24, "#6d5a4a") +
      rect(0, 500, 800, 100, "#7b4f2c") +
      `<g transform="translate(190 500) scale(1 .42)">${circle(0, 0, 130, "#fffdf6") + circle(0, -10, 98, "#5b3418") + circle(-10, -20, 56, "#c99a63")}</g>` +
      stroke("M170 420q-20-40 0-70t0-70M220 420q-20-40 0-70t0-70", "#ffffffaa", 8) +
      path("M470 520q40-80 150-60t120 60q-130-50-270 0z", "#c98a3b"),
  },
  birchermuesli: {
    background: ["#e9e2d0", "#cdbf9f"],
    shapes:
      circle(400, 320, 230, "#00000018") +
      circle(400, 305, 230, "#6a8caf") +
      circle(400, 300, 196, "#f6eddb") +
      repeat(26, (i) => circle(270 + ((i * 97) % 260), 190 + ((i * 61) % 220), 9, "#d9bd8b")) +
      repeat(7, (i) =>
        circle(300 + ((i * 83) % 200), 220 + ((i * 47) % 150), 24, i % 2 ? "#3d3f73" : "#b3213f"),
      ) +
      path("M470 210q70-10 80 60-60 20-80-60z", "#8fb36a"),
  },
  "lumen-breakfast": {
    background: ["#f3dfc0", "#c99f6d"],
    shapes:
      rect(90, 90, 620, 420, "#8b5a33", 36) +
      rect(112, 112, 576, 376, "#a56d40", 26) +
      plate(300, 300, 130) +
      path("M220 330q20-110 100-90t60 90q-40-50-80-46t-80 46z", "#d28f3c") +
      cup(540, 220) +
      circle(520, 390, 56, "#fffdf6") +
      circle(520, 384, 38, "#fbf4e2") +
      circle(520, 384, 19, "#f1b434") +
      rect(600, 330, 56, 110, "#f6a33a", 12),
  },
  geschnetzeltes: {
    background: ["#e3d6c4", "#a88f74"],
    shapes:
      plate(400, 300, 240) +
      circle(320, 280, 105, "#d89a32") +
      repeat(16, (i) =>
        stroke(
          `M${240 + ((i * 53) % 150)} ${200 + ((i * 37) % 150)}l26 ${(i % 3) * 9 - 9}`,
          "#f0c25c",
          7,
        ),
      ) +
      path("M400 260q70-80 150-10t10 130-160 30-40-90z", "#f0e1bd") +
      repeat(9, (i) =>
        rect(420 + ((i * 61) % 110), 270 + ((i * 43) % 110), 42, 20, "#b27a4c", 10),
      ) +
      repeat(5, (i) => circle(440 + ((i * 71) % 110), 280 + ((i * 59) % 100), 9, "#5d8a3a")),
  },
  "kita-front": {
    background: ["#1d1b3a", "#3a1f4d"],
    shapes:
      repeat(3, (i) => path(`M${40 + i * 250} 520V260q0-120 110-120t110 120v260z`, "#5a2b3f")) +
      repeat(3, (i) =>
        path(
          `M${70 + i * 250} 520V270q0-95 80-95t80 95v250z`,
          ["#ff9d5c", "#ffcf6b", "#7ad0e0"][i] ?? "",
        ),
      ) +
      rect(0, 96, 800, 34, "#2a1730") +
      repeat(
        8,
        (i) =>
          rect(20 + i * 100, 54, 84, 42, "#c9c4dd", 8) +
          rect(30 + i * 100, 62, 26, 18, "#31405f", 3) +
          rect(66 + i * 100, 62, 26, 18, "#31405f", 3),
      ) +
      rect(0, 520, 800, 80, "#140f26") +
      repeat(
        9,
        (i) =>
          circle(60 + i * 88, 520 - (i % 2) * 8, 22, "#140f26") +
          rect(36 + i * 88, 536, 48, 70, "#140f26", 20),
      ),
  },
  "blue-hour-quartet": {
    background: ["#0d1b4c", "#274b9f"],
    size: [1600, 900],
    shapes: `<g transform="scale(1.5) translate(130 0)">${
      repeat(4, (i) => path(`M${150 + i * 170} -20l-90 640h180z`, "#8fc3ff22")) +
      [musician(150, 300), musician(320, 330), musician(490, 290), musician(660, 320)].join("") +
      stroke("M105 430l90 60", "#e8b35a", 12) +
      path("M430 600V470q70-40 150 0v130z", "#070c22") +
      stroke("M650 350v250", "#c98a4b", 16) +
      circle(320, 470, 30, "#d8a54a")
    }</g>`,
  },
};

function draw({
  background: [top, bottom],
  size: [width, height] = [800, 600],
  shapes,
}: Drawing): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient></defs><rect width="${width}" height="${height}" fill="url(#g)"/>${shapes}</svg>`;
}

/** Serves the drawings on a free port, if possible the preferred one. */
export async function startPictures(preferredPort: number) {
  const server = createServer((request, response) => {
    const [, name = ""] = /^\/([\w-]+)\.svg$/.exec(request.url ?? "") ?? [];
    const drawing = Object.hasOwn(DRAWINGS, name) ? DRAWINGS[name] : undefined;
    response.writeHead(drawing ? 200 : 404, {
      "content-type": "image/svg+xml",
      "content-security-policy": "default-src 'none'",
      "cache-control": "max-age=3600",
    });
    response.end(drawing && draw(drawing));
  });
  const port = await findFreePort(preferredPort);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    /** Replaces the picture URLs in the text of a sample file by those of the drawings. */
    illustrate: (text: string): string =>
      text.replaceAll(
        /https:\/\/[\w-]+\.example\/img\/([\w-]+)\.jpg/g,
        (_, name: string) => `http://127.0.0.1:${port}/${name}.svg`,
      ),
    close: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

import { line, webAddress } from "../catalog/file/values.ts";
import { labelOf, type Pictures } from "./mapping.ts";
import { dataOf, type Image, type SquareObject } from "./objects.ts";
import type { SkippedLog } from "./skipped.ts";

/** Finds the images of objects: those named by `imageIds`, and the one that a sample's file puts beside the object. */
export function pictureFinder(objects: SquareObject[], left: SkippedLog) {
  const unused = new Map(
    objects.filter(({ type }) => type === "IMAGE").map((one) => [one.id, one]),
  );
  const images = new Map(unused);

  function read(image: Image, owner: string): NonNullable<Pictures["images"]> {
    const { url = "", caption } = image;
    const what = `image ${url} of ${owner}`;
    if (!webAddress.safeParse(url).success) {
      left.one(
        what,
        "an image is a web address (https://…) of the business's own, and this is none",
      );
      return [];
    }
    if (caption === undefined || caption === "") return [{ url }];
    if (line(300).safeParse(caption).success) return [{ url, alt: caption }];
    left.one(
      `caption of ${what}`,
      "a description for the blind is one line of at most 300 characters",
    );
    return [{ url }];
  }

  return {
    picturesOf(object: SquareObject, imageIds: readonly string[]): Pictures {
      const found = object.image === undefined ? [] : read(object.image, object.id);
      for (const id of imageIds) {
        const image = images.get(id);
        unused.delete(id);
        if (image === undefined)
          left.one(`image ${id} of ${object.id}`, "the image itself is not in the file");
        else found.push(...read(dataOf("IMAGE", image), object.id));
      }
      return found.length === 0 ? {} : { images: found };
    },

    noteUnused(): void {
      for (const { id, type } of unused.values()) left.object(type, labelOf("", id));
    },
  };
}

import { type AuthoredImages, labelOf } from "./mapping.ts";
import { dataOf, type Image, type SquareObject } from "./objects.ts";
import type { SkippedLog } from "./skipped.ts";
import { line, webAddress } from "../catalog/file/values.ts";

/** Those in `imageIds`, and one that the file has next to the object. */
export function createImageFinder(objects: SquareObject[], skipped: SkippedLog) {
  const unused = new Map(
    objects.filter(({ type }) => type === "IMAGE").map((one) => [one.id, one]),
  );
  const images = new Map(unused);

  function read(image: Image, owner: string): NonNullable<AuthoredImages["images"]> {
    const { url = "", caption } = image;
    const what = `image ${url} of ${owner}`;
    if (!webAddress.safeParse(url).success) {
      skipped.add(what, "an image must be a web address (https://…)");
      return [];
    }
    if (caption === undefined || caption === "") return [{ url }];
    if (line(300).safeParse(caption).success) return [{ url, alt: caption }];
    skipped.add(`caption of ${what}`, "a caption must be one line of at most 300 characters");
    return [{ url }];
  }

  return {
    imagesOf(object: SquareObject, imageIds: readonly string[]): AuthoredImages {
      const found = object.image === undefined ? [] : read(object.image, object.id);
      for (const id of imageIds) {
        const image = images.get(id);
        unused.delete(id);
        if (image === undefined)
          skipped.add(`image ${id} of ${object.id}`, "the image is not in the file");
        else found.push(...read(dataOf("IMAGE", image), object.id));
      }
      return found.length === 0 ? {} : { images: found };
    },

    addUnusedImages(): void {
      for (const { id, type } of unused.values()) skipped.addObject(type, labelOf("", id));
    },
  };
}

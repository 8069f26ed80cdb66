import type { Translations } from "../../../pages/languages.ts";
import type { Decision } from "./alert-links.ts";

type AlertLinkTexts = {
  questions: Record<Decision, string>;
  /** The text above the question if the visit was moved after the page was shown. */
  moved: string;
  ended: string;
  /** What the reader of an ended link can do. */
  endedHint: string;
};

export const ALERT_LINK_TEXTS: Translations<AlertLinkTexts> = {
  en: {
    questions: { accept: "Accept this visit?", decline: "Decline this visit?" },
    moved: "The visit has been moved meanwhile. This is its new time.",
    ended: "This link has ended.",
    endedHint:
      "The visit has been decided, or the time to decide is over. The desk shows its state.",
  },
  de: {
    questions: { accept: "Diesen Besuch annehmen?", decline: "Diesen Besuch ablehnen?" },
    moved: "Der Besuch wurde inzwischen verschoben. Dies ist die neue Zeit.",
    ended: "Dieser Link ist abgelaufen.",
    endedHint:
      "Über den Besuch wurde entschieden, oder die Zeit dafür ist vorbei. Der Tresen zeigt seinen Stand.",
  },
  fr: {
    questions: { accept: "Accepter cette visite ?", decline: "Refuser cette visite ?" },
    moved: "La visite a été déplacée entre-temps. Voici son nouvel horaire.",
    ended: "Ce lien n’est plus valable.",
    endedHint:
      "La visite a déjà reçu une réponse, ou le délai est passé. L’accueil montre son état.",
  },
  es: {
    questions: { accept: "¿Aceptar esta visita?", decline: "¿Rechazar esta visita?" },
    moved: "La visita se ha movido entretanto. Esta es su nueva hora.",
    ended: "Este enlace ya no sirve.",
    endedHint: "La visita ya tiene respuesta, o se acabó el plazo. El mostrador muestra su estado.",
  },
  it: {
    questions: { accept: "Accettare questa visita?", decline: "Rifiutare questa visita?" },
    moved: "Nel frattempo la visita è stata spostata. Questo è il nuovo orario.",
    ended: "Questo link non è più valido.",
    endedHint:
      "La visita ha già una risposta, o il termine è passato. Il banco ne mostra lo stato.",
  },
};

import type { PageLanguage, Translations } from "../../pages/languages.ts";

// No page has these texts. The other texts of a mail come from the guest's page of the visit.

export type MailTexts = {
  /** The subjects of mails about visits, by kind. */
  received: string;
  confirmed: string;
  declined: string;
  expired: string;
  moved: string;
  cancelled: string;
  reminder: string;
  confirm: string;
  /** The subjects of mails about orders of tickets. */
  orderReceived: string;
  orderConfirmed: string;
  orderExpired: string;
  orderCancelled: string;
  orderReminder: string;
  /** The subject of a mail about an event that has a new time or place. */
  orderMoved: string;
  /** The subjects of mails about open orders for an event that does not take place as announced. */
  eventCancelled: string;
  eventPostponed: string;
  /** The heading of a mail about an event that has a new time or place. */
  eventMoved: string;
  /** The paragraphs that are only in mails, and not on the guest's page of the visit. */
  expiredText: string;
  cancelledText: string;
  confirmText: string;
  /** The last paragraph of a mail that asks for a confirmation. */
  confirmNotYou: string;
  confirmLink: string;
  visitLink: string;
  /** The text of the link to a visit that the guest can no longer move or cancel. */
  seeLink: string;
  orderLink: string;
  calendar: string;
  /** Texts that say why a guest gets a mail about a visit (`why`) or an order (`orderWhy`). */
  why: string;
  orderWhy: string;
};

const TEXTS: Translations<MailTexts> = {
  en: {
    received: "We have your request: {business}, {time}",
    confirmed: "You are booked: {business}, {time}",
    declined: "Your request was declined: {business}, {time}",
    expired: "Your request has ended: {business}, {time}",
    moved: "Your new time: {business}, {time}",
    cancelled: "Cancelled: {business}, {time}",
    reminder: "See you soon: {business}, {time}",
    confirm: "Please confirm: {business}, {time}",
    orderReceived: "Tickets reserved: {event}, {business}",
    orderConfirmed: "Your tickets are confirmed: {event}, {business}",
    orderExpired: "Your order has ended: {event}, {business}",
    orderCancelled: "Your order is cancelled: {event}, {business}",
    orderReminder: "See you soon: {event}, {business}",
    orderMoved: "Please note the time and place: {event}, {time}",
    eventCancelled: "The event is cancelled: {event}, {business}",
    eventPostponed: "The event is postponed: {event}, {business}",
    eventMoved: "This event has changed: it takes place at the time and place below.",
    expiredText: "{business} has not answered in time, so the request has ended.",
    cancelledText: "This visit is cancelled.",
    confirmText: "A visit was chosen with this address. Open the link and confirm it by {time}.",
    confirmNotYou: "If it was not you, do nothing: nothing is booked then.",
    confirmLink: "Confirm the visit",
    visitLink: "See, move or cancel the visit",
    seeLink: "See the visit",
    orderLink: "See the order",
    calendar: "The attached file puts it into your calendar.",
    why: "You get this mail because a visit at {business} was booked with this address. If it was not you, please tell {business}.",
    orderWhy:
      "You get this mail because tickets of {business} were ordered with this address. If it was not you, please tell {business}.",
  },
  de: {
    received: "Wir haben Ihre Anfrage: {business}, {time}",
    confirmed: "Ihr Termin steht: {business}, {time}",
    declined: "Ihre Anfrage wurde abgelehnt: {business}, {time}",
    expired: "Ihre Anfrage ist abgelaufen: {business}, {time}",
    moved: "Ihr neuer Termin: {business}, {time}",
    cancelled: "Abgesagt: {business}, {time}",
    reminder: "Bis bald: {business}, {time}",
    confirm: "Bitte bestätigen: {business}, {time}",
    orderReceived: "Tickets reserviert: {event}, {business}",
    orderConfirmed: "Ihre Tickets sind bestätigt: {event}, {business}",
    orderExpired: "Ihre Bestellung ist abgelaufen: {event}, {business}",
    orderCancelled: "Ihre Bestellung ist storniert: {event}, {business}",
    orderReminder: "Bis bald: {event}, {business}",
    orderMoved: "Bitte Zeit und Ort beachten: {event}, {time}",
    eventCancelled: "Die Veranstaltung ist abgesagt: {event}, {business}",
    eventPostponed: "Die Veranstaltung ist verschoben: {event}, {business}",
    eventMoved:
      "Die Veranstaltung hat sich geändert: Sie findet zur unten genannten Zeit am unten genannten Ort statt.",
    expiredText:
      "{business} hat nicht rechtzeitig geantwortet, deshalb ist die Anfrage abgelaufen.",
    cancelledText: "Dieser Termin ist abgesagt.",
    confirmText:
      "Mit dieser Adresse wurde ein Termin gewählt. Öffnen Sie den Link und bestätigen Sie ihn bis {time}.",
    confirmNotYou: "Wenn Sie das nicht waren, müssen Sie nichts tun: Dann ist nichts gebucht.",
    confirmLink: "Termin bestätigen",
    visitLink: "Termin ansehen, verschieben oder absagen",
    seeLink: "Termin ansehen",
    orderLink: "Bestellung ansehen",
    calendar: "Die angehängte Datei trägt es in Ihren Kalender ein.",
    why: "Sie bekommen diese Mail, weil mit dieser Adresse bei {business} gebucht wurde. Wenn Sie das nicht waren, sagen Sie es bitte {business}.",
    orderWhy:
      "Sie bekommen diese Mail, weil mit dieser Adresse bei {business} Tickets bestellt wurden. Wenn Sie das nicht waren, sagen Sie es bitte {business}.",
  },
  fr: {
    received: "Nous avons votre demande : {business}, {time}",
    confirmed: "C’est réservé : {business}, {time}",
    declined: "Votre demande a été refusée : {business}, {time}",
    expired: "Votre demande a expiré : {business}, {time}",
    moved: "Votre nouvel horaire : {business}, {time}",
    cancelled: "Annulé : {business}, {time}",
    reminder: "À bientôt : {business}, {time}",
    confirm: "Veuillez confirmer : {business}, {time}",
    orderReceived: "Billets réservés : {event}, {business}",
    orderConfirmed: "Vos billets sont confirmés : {event}, {business}",
    orderExpired: "Votre commande a expiré : {event}, {business}",
    orderCancelled: "Votre commande est annulée : {event}, {business}",
    orderReminder: "À bientôt : {event}, {business}",
    orderMoved: "Veuillez noter l’heure et le lieu : {event}, {time}",
    eventCancelled: "L’événement est annulé : {event}, {business}",
    eventPostponed: "L’événement est reporté : {event}, {business}",
    eventMoved: "L’événement a changé : il a lieu à l’heure et au lieu indiqués ci-dessous.",
    expiredText: "{business} n’a pas répondu à temps ; la demande a donc expiré.",
    cancelledText: "Cette visite est annulée.",
    confirmText:
      "Une visite a été choisie avec cette adresse. Ouvrez le lien et confirmez-la avant {time}.",
    confirmNotYou: "Si ce n’était pas vous, ne faites rien : rien ne sera réservé.",
    confirmLink: "Confirmer la visite",
    visitLink: "Voir, déplacer ou annuler la visite",
    seeLink: "Voir la visite",
    orderLink: "Voir la commande",
    calendar: "Le fichier joint l’ajoute à votre agenda.",
    why: "Vous recevez ce message parce qu’une visite chez {business} a été réservée avec cette adresse. Si ce n’était pas vous, veuillez le dire à {business}.",
    orderWhy:
      "Vous recevez ce message parce que des billets de {business} ont été commandés avec cette adresse. Si ce n’était pas vous, veuillez le dire à {business}.",
  },
  es: {
    received: "Tenemos su solicitud: {business}, {time}",
    confirmed: "Su reserva está hecha: {business}, {time}",
    declined: "Su solicitud fue rechazada: {business}, {time}",
    expired: "Su solicitud ha caducado: {business}, {time}",
    moved: "Su nueva hora: {business}, {time}",
    cancelled: "Cancelada: {business}, {time}",
    reminder: "Hasta pronto: {business}, {time}",
    confirm: "Confirme, por favor: {business}, {time}",
    orderReceived: "Entradas reservadas: {event}, {business}",
    orderConfirmed: "Sus entradas están confirmadas: {event}, {business}",
    orderExpired: "Su pedido ha caducado: {event}, {business}",
    orderCancelled: "Su pedido está cancelado: {event}, {business}",
    orderReminder: "Hasta pronto: {event}, {business}",
    orderMoved: "Anote la hora y el lugar: {event}, {time}",
    eventCancelled: "El evento está cancelado: {event}, {business}",
    eventPostponed: "El evento está aplazado: {event}, {business}",
    eventMoved: "El evento ha cambiado: tiene lugar a la hora y en el lugar que se indican abajo.",
    expiredText: "{business} no ha respondido a tiempo, así que la solicitud ha caducado.",
    cancelledText: "Esta visita está cancelada.",
    confirmText:
      "Se ha elegido una visita con esta dirección. Abra el enlace y confírmela antes de {time}.",
    confirmNotYou: "Si no ha sido usted, no haga nada: no se reservará nada.",
    confirmLink: "Confirmar la visita",
    visitLink: "Ver, mover o cancelar la visita",
    seeLink: "Ver la visita",
    orderLink: "Ver el pedido",
    calendar: "El archivo adjunto la añade a su calendario.",
    why: "Recibe este correo porque se reservó una visita en {business} con esta dirección. Si no ha sido usted, dígaselo a {business}.",
    orderWhy:
      "Recibe este correo porque se pidieron entradas de {business} con esta dirección. Si no ha sido usted, dígaselo a {business}.",
  },
  it: {
    received: "Abbiamo la tua richiesta: {business}, {time}",
    confirmed: "La tua prenotazione è fatta: {business}, {time}",
    declined: "La tua richiesta è stata rifiutata: {business}, {time}",
    expired: "La tua richiesta è scaduta: {business}, {time}",
    moved: "Il tuo nuovo orario: {business}, {time}",
    cancelled: "Annullata: {business}, {time}",
    reminder: "A presto: {business}, {time}",
    confirm: "Conferma, per favore: {business}, {time}",
    orderReceived: "Biglietti riservati: {event}, {business}",
    orderConfirmed: "I tuoi biglietti sono confermati: {event}, {business}",
    orderExpired: "Il tuo ordine è scaduto: {event}, {business}",
    orderCancelled: "Il tuo ordine è annullato: {event}, {business}",
    orderReminder: "A presto: {event}, {business}",
    orderMoved: "Prendi nota di ora e luogo: {event}, {time}",
    eventCancelled: "L’evento è annullato: {event}, {business}",
    eventPostponed: "L’evento è rinviato: {event}, {business}",
    eventMoved: "L’evento è cambiato: si svolge all’ora e nel luogo indicati qui sotto.",
    expiredText: "{business} non ha risposto in tempo, quindi la richiesta è scaduta.",
    cancelledText: "Questa visita è annullata.",
    confirmText:
      "È stata scelta una visita con questo indirizzo. Apri il link e confermala entro {time}.",
    confirmNotYou: "Se non sei stato tu, non fare nulla: non verrà prenotato nulla.",
    confirmLink: "Confermare la visita",
    visitLink: "Vedere, spostare o annullare la visita",
    seeLink: "Vedere la visita",
    orderLink: "Vedere l’ordine",
    calendar: "Il file allegato la aggiunge al tuo calendario.",
    why: "Ricevi questa mail perché una visita da {business} è stata prenotata con questo indirizzo. Se non sei stato tu, dillo a {business}.",
    orderWhy:
      "Ricevi questa mail perché sono stati ordinati biglietti di {business} con questo indirizzo. Se non sei stato tu, dillo a {business}.",
  },
};

export const mailTextsOf = (language: PageLanguage): MailTexts => TEXTS[language];

import type { PluralText, Translations } from "../../../pages/languages.ts";
import type { Teller, VisitStatus } from "../../../domain/bookings/visit.ts";
import type { DeskVisitAction, DoneCode } from "../rules.ts";

export type DeskTexts = {
  today: string;
  tomorrow: string;
  toDecide: string;
  /** The title of the visits that the device has changed lately and that no other list contains. */
  recent: string;
  noVisits: string;
  nowAndNext: string;
  noName: string;
  nothingToDo: string;
  decideBy: string;
  earlier: string;
  /** The number of past visits for which nobody has recorded whether the guest came. */
  unrecorded: string;
  goTo: string;
  now: string;
  next: string;
  away: string;
  updated: string;
  offline: string;
  /** The text while the current state is read after a pause. */
  reading: string;
  saving: string;
  /** The text for a tap while an earlier action has no response. */
  wait: string;
  /**
   * The text before the label of a tap that was not taken, shown once the earlier action has its
   * response.
   */
  notTaken: string;
  /** The text before the label of an action that the page sends again by itself. */
  unknown: string;
  /** The text before the label of an action that is sent again only if a person says so. */
  sendAgainOrNot: string;
  sendAgain: string;
  drop: string;
  status: Record<VisitStatus, string>;
  actions: Record<DeskVisitAction, string>;
  /**
   * The text above the actions that a guest should be told about. The text says who tells the
   * guest.
   */
  tells: Record<Teller | "nobodyCanCall", string>;
  newTime: string;
  note: string;
  save: string;
  walkIn: string;
  service: string;
  table: string;
  party: string;
  anyone: string;
  staff: string;
  name: string;
  came: string;
  justNow: string;
  minutesAgo: string;
  enter: string;
  find: string;
  soldOut: string;
  dish: string;
  until: string;
  endOfDay: string;
  noEnd: string;
  markSoldOut: string;
  hideService: string;
  untilBack: string;
  backAgain: string;
  closing: string;
  closeUntil: string;
  restOfDay: string;
  close: string;
  /** The text while a closing that a desk has entered can be taken back. */
  closedAtDesk: string;
  takeBackClosing: string;
  somebodyAway: string;
  awayToday: string;
  awayTomorrow: string;
  restOf: string;
  isBack: string;
  couldTake: string;
  nobody: string;
  giveToColleagues: string;
  checkIn: string;
  code: string;
  useCamera: string;
  stopCamera: string;
  holdCode: string;
  noCamera: string;
  orders: string;
  confirmPaid: string;
  moreOrders: string;
  orderCode: string;
  codesOnce: string;
  /**
   * The text that replaces the codes once they are no longer kept. Its `command` lists the IDs of
   * the tickets.
   */
  codesGone: string;
  device: string;
  unpair: string;
  /** The description in the page's HTML head. */
  about: string;
  pairTitle: string;
  pairText: string;
  pairButton: string;
  linkEnded: string;
  notPaired: string;
  askForLink: string;
  visits: PluralText;
  guests: PluralText;
  tickets: PluralText;
  done: Record<DoneCode, string>;
  /** The text after a check-in if the catalog has the event: `name` is the event and ticket type. */
  checkedInAs: string;
  /** The text around the message of an error that is only in English. */
  notDone: string;
};

export const TEXTS: Translations<DeskTexts> = {
  en: {
    today: "Today",
    tomorrow: "Tomorrow",
    toDecide: "To decide",
    recent: "Changed here lately",
    noVisits: "No visits.",
    nowAndNext: "Now and next",
    noName: "Guest",
    nothingToDo: "Nothing to do.",
    decideBy: "Answer by: {time}",
    earlier: "Earlier: {count}",
    unrecorded: "Came or not? {count}",
    goTo: "Parts of the page",
    now: "now",
    next: "next",
    away: "away",
    updated: "As of {time}",
    offline: "Not connected. Nothing can be changed until there is a connection.",
    reading: "Reading the current state …",
    saving: "Saving …",
    wait: "Wait: the last entry is still being saved.",
    notTaken: "Not taken, please enter it again:",
    unknown: "Not confirmed yet. The page sends this action again, and the server does it once:",
    sendAgainOrNot:
      "It is not known whether this was saved. Look at the day, then send it again or drop it:",
    sendAgain: "Send again",
    drop: "Drop it",
    status: {
      PENDING: "to decide",
      CONFIRMED: "confirmed",
      CANCELLED: "cancelled",
      COMPLETED: "was here",
      NO_SHOW: "did not come",
    },
    actions: {
      approve: "Accept",
      decline: "Decline",
      cancel: "Cancel the visit",
      reschedule: "Move",
      complete: "Was here",
      noShow: "Did not come",
    },
    tells: {
      partner: "The partner that made the booking is told, and can tell the guest.",
      mail: "The guest gets a mail.",
      nobody: "Nobody tells the guest: please call.",
      nobodyCanCall: "Nobody tells the guest, and no phone number is shown here.",
    },
    newTime: "New time",
    note: "Note",
    save: "Save",
    walkIn: "Walk-in",
    service: "Service",
    table: "Table",
    party: "Number of guests",
    anyone: "anyone",
    staff: "Person",
    name: "Name (optional)",
    came: "Came",
    justNow: "now",
    minutesAgo: "{minutes} minutes ago",
    enter: "Enter",
    find: "Find",
    soldOut: "Sold out",
    dish: "Dish",
    until: "Until",
    endOfDay: "the end of today",
    noEnd: "further notice",
    markSoldOut: "Mark as sold out",
    hideService: "Do not offer it",
    untilBack: "Nobody can book it until you tap “Back again”. Visits stay.",
    backAgain: "Back again",
    closing: "Close now",
    closeUntil: "Closed until",
    restOfDay: "Without a time: for the rest of the day. Visits stay.",
    close: "Close the shop",
    closedAtDesk: "The business was closed at a desk.",
    takeBackClosing: "Take back the closing",
    somebodyAway: "Somebody is away",
    awayToday: "Away today",
    awayTomorrow: "Away tomorrow",
    restOf: "{day} from {time}",
    isBack: "Is back",
    couldTake: "Could take it: {names}",
    nobody: "Nobody is free",
    giveToColleagues: "Give them to colleagues",
    checkIn: "Check-in",
    code: "Code of the ticket",
    useCamera: "Scan with the camera",
    stopCamera: "Stop the camera",
    holdCode: "Hold the code of the ticket before the camera.",
    noCamera: "The camera cannot be used. Allow it in the browser, or type the code.",
    orders: "Ticket orders",
    confirmPaid: "Paid: confirm",
    moreOrders: "There are older orders, too: enter the code of one to confirm it.",
    orderCode: "Code of the order",
    codesOnce: "Give these codes to the guest. They are shown only now:",
    codesGone:
      "The codes are no longer shown. The tickets are also checked in by their IDs, which whoever runs the server lists: {command}",
    device: "This device",
    unpair: "Unpair this device",
    about: "Who comes today and tomorrow, and what the shop does about it.",
    pairTitle: "Pair this device",
    pairText: "This device will show the desk “{desk}” for 30 days. The link works once.",
    pairButton: "Pair this device",
    linkEnded: "This link has been used or has ended.",
    notPaired: "This device is not paired with the desk.",
    askForLink: "Ask whoever runs the server for a new link.",
    visits: { one: "{count} visit", other: "{count} visits" },
    guests: { one: "{count} guest", other: "{count} guests" },
    tickets: { one: "{count} ticket", other: "{count} tickets" },
    notDone: "Not done: {reason}",
    checkedInAs: "Checked in: {name}.",
    done: {
      approved: "Accepted.",
      declined: "Declined.",
      cancelled: "Cancelled.",
      rescheduled: "Moved.",
      completed: "Recorded: was here.",
      no_show: "Recorded: did not come.",
      noted: "Note saved.",
      entered: "Entered.",
      sold_out: "Marked as sold out.",
      available: "Available again.",
      hidden: "No longer offered.",
      offered: "Offered again.",
      closed: "Closed. Visits that stay: {count}.",
      reopened: "The hours from before the closing apply again.",
      away: "Entered. Affected visits: {count}.",
      back: "Removed. The person can be booked again.",
      reassigned: "Visits given to colleagues: {count}.",
      checked_in: "Checked in.",
      order_confirmed: "Confirmed. Tickets: {count}.",
    },
  },
  de: {
    today: "Heute",
    tomorrow: "Morgen",
    toDecide: "Zu entscheiden",
    recent: "Zuletzt hier geändert",
    noVisits: "Keine Besuche.",
    nowAndNext: "Jetzt und als Nächstes",
    noName: "Gast",
    nothingToDo: "Nichts zu tun.",
    decideBy: "Antwort bis: {time}",
    earlier: "Früher: {count}",
    unrecorded: "Gekommen? {count}",
    goTo: "Teile der Seite",
    now: "jetzt",
    next: "als Nächstes",
    away: "abwesend",
    updated: "Stand {time}",
    offline: "Nicht verbunden. Bis die Verbindung wieder da ist, kann nichts geändert werden.",
    reading: "Der aktuelle Stand wird gelesen …",
    saving: "Wird gespeichert …",
    wait: "Bitte warten: Die letzte Eingabe wird noch gespeichert.",
    notTaken: "Nicht übernommen, bitte noch einmal eingeben:",
    unknown: "Noch nicht bestätigt. Es wird noch einmal gesendet und einmal ausgeführt:",
    sendAgainOrNot:
      "Ob das gespeichert wurde, ist nicht bekannt. Bitte den Tag ansehen, dann noch einmal senden oder verwerfen:",
    sendAgain: "Noch einmal senden",
    drop: "Verwerfen",
    status: {
      PENDING: "zu entscheiden",
      CONFIRMED: "bestätigt",
      CANCELLED: "abgesagt",
      COMPLETED: "war da",
      NO_SHOW: "kam nicht",
    },
    actions: {
      approve: "Annehmen",
      decline: "Ablehnen",
      cancel: "Besuch absagen",
      reschedule: "Verschieben",
      complete: "War da",
      noShow: "Kam nicht",
    },
    tells: {
      partner: "Der Partner, über den gebucht wurde, erfährt es und kann es dem Gast sagen.",
      mail: "Der Gast bekommt eine E-Mail.",
      nobody: "Niemand sagt es dem Gast: bitte anrufen.",
      nobodyCanCall: "Niemand sagt es dem Gast, und hier steht keine Telefonnummer.",
    },
    newTime: "Neue Zeit",
    note: "Notiz",
    save: "Speichern",
    walkIn: "Gast ohne Buchung",
    service: "Leistung",
    table: "Tisch",
    party: "Anzahl Gäste",
    anyone: "egal wer",
    staff: "Person",
    name: "Name (freiwillig)",
    came: "Gekommen",
    justNow: "jetzt",
    minutesAgo: "vor {minutes} Minuten",
    enter: "Eintragen",
    find: "Suchen",
    soldOut: "Ausverkauft",
    dish: "Gericht",
    until: "Bis",
    endOfDay: "Ende des Tages",
    noEnd: "auf Weiteres",
    markSoldOut: "Als ausverkauft markieren",
    hideService: "Nicht anbieten",
    untilBack: "Niemand kann sie buchen, bis jemand „Wieder da“ antippt. Besuche bleiben.",
    backAgain: "Wieder da",
    closing: "Jetzt schließen",
    closeUntil: "Geschlossen bis",
    restOfDay: "Ohne Zeit: für den Rest des Tages. Besuche bleiben.",
    close: "Geschäft schließen",
    closedAtDesk: "An einem Tresen wurde geschlossen.",
    takeBackClosing: "Schließung zurücknehmen",
    somebodyAway: "Jemand ist abwesend",
    awayToday: "Heute abwesend",
    awayTomorrow: "Morgen abwesend",
    restOf: "{day} ab {time}",
    isBack: "Ist wieder da",
    couldTake: "Könnte übernehmen: {names}",
    nobody: "Niemand ist frei",
    giveToColleagues: "An Kollegen geben",
    checkIn: "Einlass",
    code: "Code des Tickets",
    useCamera: "Mit der Kamera scannen",
    stopCamera: "Kamera beenden",
    holdCode: "Den Code des Tickets vor die Kamera halten.",
    noCamera: "Die Kamera geht nicht. Bitte im Browser erlauben oder den Code eintippen.",
    orders: "Ticketbestellungen",
    confirmPaid: "Bezahlt: bestätigen",
    moreOrders: "Es gibt auch ältere Bestellungen: Bestätigen Sie eine mit ihrem Code.",
    orderCode: "Code der Bestellung",
    codesOnce: "Diese Codes dem Gast geben. Sie erscheinen nur jetzt:",
    codesGone:
      "Die Codes werden nicht mehr angezeigt. Die Tickets lassen sich auch mit ihren IDs einlassen. Wer den Server betreibt, listet sie auf: {command}",
    device: "Dieses Gerät",
    unpair: "Dieses Gerät trennen",
    about: "Wer heute und morgen kommt, und was das Geschäft dazu tut.",
    pairTitle: "Dieses Gerät verbinden",
    pairText: "Dieses Gerät zeigt dann 30 Tage lang den Tresen „{desk}“. Der Link gilt einmal.",
    pairButton: "Dieses Gerät verbinden",
    linkEnded: "Dieser Link wurde benutzt oder ist abgelaufen.",
    notPaired: "Dieses Gerät ist nicht mit dem Tresen verbunden.",
    askForLink: "Wer den Server betreibt, kann einen neuen Link ausstellen.",
    visits: { one: "{count} Besuch", other: "{count} Besuche" },
    guests: { one: "{count} Gast", other: "{count} Gäste" },
    tickets: { one: "{count} Ticket", other: "{count} Tickets" },
    notDone: "Nicht erledigt: {reason}",
    checkedInAs: "Eingelassen: {name}.",
    done: {
      approved: "Angenommen.",
      declined: "Abgelehnt.",
      cancelled: "Abgesagt.",
      rescheduled: "Verschoben.",
      completed: "Eingetragen: war da.",
      no_show: "Eingetragen: kam nicht.",
      noted: "Notiz gespeichert.",
      entered: "Eingetragen.",
      sold_out: "Als ausverkauft markiert.",
      available: "Wieder erhältlich.",
      hidden: "Wird nicht mehr angeboten.",
      offered: "Wird wieder angeboten.",
      closed: "Geschlossen. Besuche, die bleiben: {count}.",
      reopened: "Es gelten wieder die Zeiten von vor der Schließung.",
      away: "Eingetragen. Betroffene Besuche: {count}.",
      back: "Entfernt. Die Person ist wieder buchbar.",
      reassigned: "An Kollegen gegebene Besuche: {count}.",
      checked_in: "Eingelassen.",
      order_confirmed: "Bestätigt. Tickets: {count}.",
    },
  },
  fr: {
    today: "Aujourd’hui",
    tomorrow: "Demain",
    toDecide: "À décider",
    recent: "Modifiées ici récemment",
    noVisits: "Aucune visite.",
    nowAndNext: "Maintenant et ensuite",
    noName: "Client",
    nothingToDo: "Rien à faire.",
    decideBy: "Répondre avant : {time}",
    earlier: "Plus tôt : {count}",
    unrecorded: "Venus ou non ? {count}",
    goTo: "Parties de la page",
    now: "maintenant",
    next: "ensuite",
    away: "absent",
    updated: "État à {time}",
    offline: "Pas de connexion. Rien ne peut être modifié tant qu’elle manque.",
    reading: "Lecture de l’état actuel …",
    saving: "Enregistrement …",
    wait: "Attendez : la dernière saisie est encore en cours d’enregistrement.",
    notTaken: "Pas prise en compte, à saisir de nouveau :",
    unknown: "Pas encore confirmé. L’envoi est répété, l’action faite une fois :",
    sendAgainOrNot:
      "On ne sait pas si ceci a été enregistré. Regardez la journée, puis renvoyez ou abandonnez :",
    sendAgain: "Renvoyer",
    drop: "Abandonner",
    status: {
      PENDING: "à décider",
      CONFIRMED: "confirmée",
      CANCELLED: "annulée",
      COMPLETED: "venu",
      NO_SHOW: "pas venu",
    },
    actions: {
      approve: "Accepter",
      decline: "Refuser",
      cancel: "Annuler la visite",
      reschedule: "Déplacer",
      complete: "Est venu",
      noShow: "N’est pas venu",
    },
    tells: {
      partner: "Le partenaire qui a fait la réservation est prévenu et peut prévenir le client.",
      mail: "Le client reçoit un e-mail.",
      nobody: "Personne ne prévient le client : appelez-le.",
      nobodyCanCall: "Personne ne prévient le client, et aucun numéro ne s’affiche ici.",
    },
    newTime: "Nouvelle heure",
    note: "Note",
    save: "Enregistrer",
    walkIn: "Client sans réservation",
    service: "Prestation",
    table: "Table",
    party: "Nombre de personnes",
    anyone: "peu importe",
    staff: "Personne",
    name: "Nom (facultatif)",
    came: "Arrivé",
    justNow: "maintenant",
    minutesAgo: "il y a {minutes} minutes",
    enter: "Inscrire",
    find: "Chercher",
    soldOut: "Épuisé",
    dish: "Plat",
    until: "Jusqu’à",
    endOfDay: "la fin de la journée",
    noEnd: "nouvel ordre",
    markSoldOut: "Marquer comme épuisé",
    hideService: "Ne plus proposer",
    untilBack: "Personne ne peut la réserver avant « De nouveau là ». Les visites restent.",
    backAgain: "De nouveau là",
    closing: "Fermer maintenant",
    closeUntil: "Fermé jusqu’à",
    restOfDay: "Sans heure : pour le reste de la journée. Les visites restent.",
    close: "Fermer l’établissement",
    closedAtDesk: "L’établissement a été fermé depuis un comptoir.",
    takeBackClosing: "Annuler la fermeture",
    somebodyAway: "Quelqu’un est absent",
    awayToday: "Absent aujourd’hui",
    awayTomorrow: "Absent demain",
    restOf: "{day} à partir de {time}",
    isBack: "Est de retour",
    couldTake: "Pourrait prendre : {names}",
    nobody: "Personne n’est libre",
    giveToColleagues: "Confier aux collègues",
    checkIn: "Entrée",
    code: "Code du billet",
    useCamera: "Scanner avec la caméra",
    stopCamera: "Arrêter la caméra",
    holdCode: "Placez le code du billet devant la caméra.",
    noCamera:
      "La caméra ne peut pas être utilisée. Autorisez-la dans le navigateur ou saisissez le code.",
    orders: "Commandes de billets",
    confirmPaid: "Payé : confirmer",
    moreOrders:
      "Il y a aussi des commandes plus anciennes : saisissez le code de l’une d’elles pour la confirmer.",
    orderCode: "Code de la commande",
    codesOnce: "Donnez ces codes au client. Ils ne s’affichent que maintenant :",
    codesGone:
      "Les codes ne sont plus affichés. Les billets entrent aussi avec leurs identifiants, que la personne qui gère le serveur affiche ainsi : {command}",
    device: "Cet appareil",
    unpair: "Dissocier cet appareil",
    about: "Qui vient aujourd’hui et demain, et ce que l’établissement y répond.",
    pairTitle: "Associer cet appareil",
    pairText:
      "Cet appareil affichera l’accueil « {desk} » pendant 30 jours. Le lien sert une fois.",
    pairButton: "Associer cet appareil",
    linkEnded: "Ce lien a été utilisé ou a expiré.",
    notPaired: "Cet appareil n’est pas associé à l’accueil.",
    askForLink: "Demandez un nouveau lien à la personne qui gère le serveur.",
    visits: { one: "{count} visite", other: "{count} visites" },
    guests: { one: "{count} personne", other: "{count} personnes" },
    tickets: { one: "{count} billet", other: "{count} billets" },
    notDone: "Pas fait : {reason}",
    checkedInAs: "Entrée validée : {name}.",
    done: {
      approved: "Acceptée.",
      declined: "Refusée.",
      cancelled: "Annulée.",
      rescheduled: "Déplacée.",
      completed: "Noté : venu.",
      no_show: "Noté : pas venu.",
      noted: "Note enregistrée.",
      entered: "Inscrit.",
      sold_out: "Marqué comme épuisé.",
      available: "De nouveau disponible.",
      hidden: "N’est plus proposée.",
      offered: "Proposée de nouveau.",
      closed: "Fermé. Visites maintenues : {count}.",
      reopened: "Les horaires d’avant la fermeture s’appliquent de nouveau.",
      away: "Noté. Visites concernées : {count}.",
      back: "Retiré. On peut de nouveau réserver avec cette personne.",
      reassigned: "Visites confiées aux collègues : {count}.",
      checked_in: "Entrée validée.",
      order_confirmed: "Confirmée. Billets : {count}.",
    },
  },
  es: {
    today: "Hoy",
    tomorrow: "Mañana",
    toDecide: "Por decidir",
    recent: "Cambiadas aquí hace poco",
    noVisits: "Ninguna visita.",
    nowAndNext: "Ahora y después",
    noName: "Cliente",
    nothingToDo: "Nada que hacer.",
    decideBy: "Responder antes de: {time}",
    earlier: "Antes: {count}",
    unrecorded: "¿Vinieron? {count}",
    goTo: "Partes de la página",
    now: "ahora",
    next: "siguiente",
    away: "ausente",
    updated: "Estado a las {time}",
    offline: "Sin conexión. No se puede cambiar nada hasta que vuelva.",
    reading: "Leyendo el estado actual …",
    saving: "Guardando …",
    wait: "Espera: lo último todavía se está guardando.",
    notTaken: "No se ha tomado, introdúcelo otra vez:",
    unknown: "Aún sin confirmar. Se envía de nuevo y se hace una sola vez:",
    sendAgainOrNot: "No se sabe si se guardó. Mira el día y luego envíalo otra vez o descártalo:",
    sendAgain: "Enviar otra vez",
    drop: "Descartar",
    status: {
      PENDING: "por decidir",
      CONFIRMED: "confirmada",
      CANCELLED: "cancelada",
      COMPLETED: "vino",
      NO_SHOW: "no vino",
    },
    actions: {
      approve: "Aceptar",
      decline: "Rechazar",
      cancel: "Cancelar la visita",
      reschedule: "Mover",
      complete: "Vino",
      noShow: "No vino",
    },
    tells: {
      partner: "El socio que hizo la reserva recibe el aviso y puede avisar al cliente.",
      mail: "El cliente recibe un correo.",
      nobody: "Nadie avisa al cliente: llámalo, por favor.",
      nobodyCanCall: "Nadie avisa al cliente, y aquí no aparece ningún teléfono.",
    },
    newTime: "Nueva hora",
    note: "Nota",
    save: "Guardar",
    walkIn: "Cliente sin reserva",
    service: "Servicio",
    table: "Mesa",
    party: "Número de personas",
    anyone: "cualquiera",
    staff: "Persona",
    name: "Nombre (opcional)",
    came: "Llegó",
    justNow: "ahora",
    minutesAgo: "hace {minutes} minutos",
    enter: "Anotar",
    find: "Buscar",
    soldOut: "Agotado",
    dish: "Plato",
    until: "Hasta",
    endOfDay: "el final del día",
    noEnd: "nuevo aviso",
    markSoldOut: "Marcar como agotado",
    hideService: "No ofrecer",
    untilBack: "Nadie puede reservarlo hasta que toques «Hay otra vez». Las visitas se mantienen.",
    backAgain: "Hay otra vez",
    closing: "Cerrar ahora",
    closeUntil: "Cerrado hasta",
    restOfDay: "Sin hora: el resto del día. Las visitas se mantienen.",
    close: "Cerrar el local",
    closedAtDesk: "El negocio se cerró desde un mostrador.",
    takeBackClosing: "Anular el cierre",
    somebodyAway: "Alguien está ausente",
    awayToday: "Ausente hoy",
    awayTomorrow: "Ausente mañana",
    restOf: "{day} desde las {time}",
    isBack: "Ha vuelto",
    couldTake: "Podría atenderla: {names}",
    nobody: "Nadie está libre",
    giveToColleagues: "Pasar a compañeros",
    checkIn: "Entrada",
    code: "Código de la entrada",
    useCamera: "Escanear con la cámara",
    stopCamera: "Parar la cámara",
    holdCode: "Pon el código de la entrada ante la cámara.",
    noCamera: "No se puede usar la cámara. Permítela en el navegador o escribe el código.",
    orders: "Pedidos de entradas",
    confirmPaid: "Pagado: confirmar",
    moreOrders: "También hay pedidos más antiguos: introduzca el código de uno para confirmarlo.",
    orderCode: "Código del pedido",
    codesOnce: "Da estos códigos al cliente. Solo se muestran ahora:",
    codesGone:
      "Los códigos ya no se muestran. Las entradas también se registran con sus identificadores; quien lleva el servidor los ve con: {command}",
    device: "Este dispositivo",
    unpair: "Desvincular este dispositivo",
    about: "Quién viene hoy y mañana, y qué responde el negocio.",
    pairTitle: "Vincular este dispositivo",
    pairText:
      "Este dispositivo mostrará el mostrador «{desk}» durante 30 días. El enlace vale una vez.",
    pairButton: "Vincular este dispositivo",
    linkEnded: "Este enlace ya se usó o ha caducado.",
    notPaired: "Este dispositivo no está vinculado al mostrador.",
    askForLink: "Pide un enlace nuevo a quien administra el servidor.",
    visits: { one: "{count} visita", other: "{count} visitas" },
    guests: { one: "{count} persona", other: "{count} personas" },
    tickets: { one: "{count} entrada", other: "{count} entradas" },
    notDone: "No se ha hecho: {reason}",
    checkedInAs: "Entrada registrada: {name}.",
    done: {
      approved: "Aceptada.",
      declined: "Rechazada.",
      cancelled: "Cancelada.",
      rescheduled: "Movida.",
      completed: "Anotado: vino.",
      no_show: "Anotado: no vino.",
      noted: "Nota guardada.",
      entered: "Anotado.",
      sold_out: "Marcado como agotado.",
      available: "Disponible otra vez.",
      hidden: "Ya no se ofrece.",
      offered: "Se ofrece otra vez.",
      closed: "Cerrado. Visitas que se mantienen: {count}.",
      reopened: "Vuelve el horario de antes del cierre.",
      away: "Anotado. Visitas afectadas: {count}.",
      back: "Quitado. Se puede reservar otra vez con esta persona.",
      reassigned: "Visitas pasadas a compañeros: {count}.",
      checked_in: "Entrada registrada.",
      order_confirmed: "Confirmado. Entradas: {count}.",
    },
  },
  it: {
    today: "Oggi",
    tomorrow: "Domani",
    toDecide: "Da decidere",
    recent: "Modificate qui di recente",
    noVisits: "Nessuna visita.",
    nowAndNext: "Adesso e dopo",
    noName: "Cliente",
    nothingToDo: "Niente da fare.",
    decideBy: "Rispondere entro: {time}",
    earlier: "Prima: {count}",
    unrecorded: "Venuti o no? {count}",
    goTo: "Parti della pagina",
    now: "adesso",
    next: "prossima",
    away: "assente",
    updated: "Stato delle {time}",
    offline: "Nessuna connessione. Finché manca non si può cambiare nulla.",
    reading: "Lettura dello stato attuale …",
    saving: "Salvataggio …",
    wait: "Attendi: l’ultima operazione si sta ancora salvando.",
    notTaken: "Non registrato, inseriscilo di nuovo:",
    unknown: "Non ancora confermato. Viene inviato di nuovo e fatto una sola volta:",
    sendAgainOrNot:
      "Non si sa se è stato salvato. Guarda la giornata, poi invialo di nuovo o scartalo:",
    sendAgain: "Invia di nuovo",
    drop: "Scarta",
    status: {
      PENDING: "da decidere",
      CONFIRMED: "confermata",
      CANCELLED: "annullata",
      COMPLETED: "venuto",
      NO_SHOW: "non venuto",
    },
    actions: {
      approve: "Accetta",
      decline: "Rifiuta",
      cancel: "Annulla la visita",
      reschedule: "Sposta",
      complete: "È venuto",
      noShow: "Non è venuto",
    },
    tells: {
      partner: "Il partner che ha fatto la prenotazione viene avvisato e può avvisare il cliente.",
      mail: "Il cliente riceve un’e-mail.",
      nobody: "Nessuno avvisa il cliente: chiamalo, per favore.",
      nobodyCanCall: "Nessuno avvisa il cliente, e qui non c’è un numero di telefono.",
    },
    newTime: "Nuovo orario",
    note: "Nota",
    save: "Salva",
    walkIn: "Cliente senza prenotazione",
    service: "Servizio",
    table: "Tavolo",
    party: "Numero di persone",
    anyone: "chiunque",
    staff: "Persona",
    name: "Nome (facoltativo)",
    came: "Arrivato",
    justNow: "adesso",
    minutesAgo: "{minutes} minuti fa",
    enter: "Inserisci",
    find: "Cerca",
    soldOut: "Esaurito",
    dish: "Piatto",
    until: "Fino a",
    endOfDay: "fine giornata",
    noEnd: "nuovo avviso",
    markSoldOut: "Segna come esaurito",
    hideService: "Non offrire",
    untilBack:
      "Nessuno può prenotarlo finché non tocchi «Di nuovo disponibile». Le visite restano.",
    backAgain: "Di nuovo disponibile",
    closing: "Chiudi adesso",
    closeUntil: "Chiuso fino alle",
    restOfDay: "Senza orario: per il resto della giornata. Le visite restano.",
    close: "Chiudi il locale",
    closedAtDesk: "L’attività è stata chiusa da un banco.",
    takeBackClosing: "Annulla la chiusura",
    somebodyAway: "Qualcuno è assente",
    awayToday: "Assente oggi",
    awayTomorrow: "Assente domani",
    restOf: "{day} dalle {time}",
    isBack: "È tornato",
    couldTake: "Potrebbe prenderla: {names}",
    nobody: "Nessuno è libero",
    giveToColleagues: "Affida ai colleghi",
    checkIn: "Ingresso",
    code: "Codice del biglietto",
    useCamera: "Scansiona con la fotocamera",
    stopCamera: "Ferma la fotocamera",
    holdCode: "Tieni il codice del biglietto davanti alla fotocamera.",
    noCamera: "La fotocamera non si può usare. Consentila nel browser o scrivi il codice.",
    orders: "Ordini di biglietti",
    confirmPaid: "Pagato: conferma",
    moreOrders: "Ci sono anche ordini meno recenti: inserisci il codice di uno per confermarlo.",
    orderCode: "Codice dell’ordine",
    codesOnce: "Dai questi codici al cliente. Si vedono solo adesso:",
    codesGone:
      "I codici non vengono più mostrati. I biglietti entrano anche con i loro ID; chi gestisce il server li elenca con: {command}",
    device: "Questo dispositivo",
    unpair: "Scollega questo dispositivo",
    about: "Chi viene oggi e domani, e che cosa risponde il negozio.",
    pairTitle: "Collega questo dispositivo",
    pairText:
      "Questo dispositivo mostrerà il banco «{desk}» per 30 giorni. Il link vale una volta.",
    pairButton: "Collega questo dispositivo",
    linkEnded: "Questo link è già stato usato o è scaduto.",
    notPaired: "Questo dispositivo non è collegato al banco.",
    askForLink: "Chiedi un nuovo link a chi gestisce il server.",
    visits: { one: "{count} visita", other: "{count} visite" },
    guests: { one: "{count} persona", other: "{count} persone" },
    tickets: { one: "{count} biglietto", other: "{count} biglietti" },
    notDone: "Non fatto: {reason}",
    checkedInAs: "Ingresso registrato: {name}.",
    done: {
      approved: "Accettata.",
      declined: "Rifiutata.",
      cancelled: "Annullata.",
      rescheduled: "Spostata.",
      completed: "Registrato: venuto.",
      no_show: "Registrato: non venuto.",
      noted: "Nota salvata.",
      entered: "Inserito.",
      sold_out: "Segnato come esaurito.",
      available: "Di nuovo disponibile.",
      hidden: "Non più offerto.",
      offered: "Di nuovo offerto.",
      closed: "Chiuso. Visite che restano: {count}.",
      reopened: "Valgono di nuovo gli orari di prima della chiusura.",
      away: "Inserito. Visite interessate: {count}.",
      back: "Rimosso. La persona si può prenotare di nuovo.",
      reassigned: "Visite affidate ai colleghi: {count}.",
      checked_in: "Ingresso registrato.",
      order_confirmed: "Confermato. Biglietti: {count}.",
    },
  },
};

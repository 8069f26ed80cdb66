import type { PageLanguage, Translations } from "../../pages/languages.ts";

// The booking page and the pages of guests' visits show these fixed texts.

export type BookingTexts = {
  title: string;
  services: string;
  table: string;
  nothing: string;
  free: string;
  variant: string;
  addons: string;
  included: string;
  none: string;
  staff: string;
  anyone: string;
  guests: string;
  area: string;
  anywhere: string;
  showTimes: string;
  chooseTime: string;
  earlier: string;
  later: string;
  isFree: string;
  noneInMonth: string;
  nextFree: string;
  timesOn: string;
  noneOn: string;
  morning: string;
  afternoon: string;
  evening: string;
  zone: string;
  zoneOfBusiness: string;
  change: string;
  anotherTime: string;
  details: string;
  name: string;
  email: string;
  phone: string;
  contactHint: string;
  notes: string;
  needName: string;
  needContact: string;
  needEmail: string;
  invalidEmail: string;
  invalidPhone: string;
  invalid: string;
  heldUntil: string;
  total: string;
  fromPrice: string;
  submitRequest: string;
  submitConfirm: string;
  requestNote: string;
  privacy: string;
  lost: string;
  taken: string;
  nearest: string;
  priceChanged: string;
  closed: string;
  shareUsed: string;
  /** Says the same as `shareUsed` for a business without a telephone number. */
  noMoreBookings: string;
  dayFull: string;
  call: string;
  gone: string;
  otherVariant: string;
  pending: string;
  confirmed: string;
  cancelled: string;
  completed: string;
  noShow: string;
  pendingText: string;
  confirmedText: string;
  declinedText: string;
  keepLink: string;
  openLink: string;
  keepOpened: string;
  linkChanges: string;
  linkHasTickets: string;
  changeUntil: string;
  changeClosed: string;
  cannotMove: string;
  /** The texts about a time that the page refuses; the first is for a visit that was not moved. */
  keepsTime: string;
  callForTime: string;
  timeNotTaken: string;
  cancel: string;
  cancelSure: string;
  cancelYes: string;
  move: string;
  moveTitle: string;
  keepTime: string;
  moved: string;
  addToCalendar: string;
  bookAgain: string;
  formUsed: string;
  toBooked: string;
  linkEnded: string;
  linkEndedText: string;
  when: string;
  what: string;
  who: string;
  where: string;
  people: string;
  yourTime: string;
  sending: string;
  tableFor: string;
  tickets: string;
  ticketsOf: string;
  soldOut: string;
  notOnSale: string;
  continue: string;
  submitOrder: string;
  orderNote: string;
  orderPending: string;
  orderPendingText: string;
  orderConfirmed: string;
  orderConfirmedText: string;
  showCodes: string;
  ticketUsed: string;
  orderExpired: string;
  eventCancelled: string;
  eventPostponed: string;
  code: string;
  cancelOrderSure: string;
  fewLeft: string;
  mostTickets: string;
  checkMail: string;
  checkMailText: string;
  wrongAddress: string;
  confirmTitle: string;
  confirmText: string;
  /** The title and text for a visit that the business still has to approve. */
  confirmRequestTitle: string;
  confirmRequestText: string;
  confirmYes: string;
  confirmLate: string;
  /** The sentence shown if the time is not held until the guest confirms the visit. */
  notKept: string;
};

/** The texts about an event that does not take place as it was announced, by its status. */
export const CALLED_OFF: Readonly<Record<string, "eventCancelled" | "eventPostponed" | undefined>> =
  {
    CANCELLED: "eventCancelled",
    POSTPONED: "eventPostponed",
  };

const TEXTS: Translations<BookingTexts> = {
  en: {
    title: "Book",
    services: "Services",
    table: "Book a table",
    nothing: "Nothing can be booked here at the moment.",
    free: "free",
    variant: "Which one?",
    addons: "Anything else?",
    included: "included",
    none: "none",
    staff: "With whom?",
    anyone: "Anyone who is free",
    guests: "How many people?",
    area: "Where?",
    anywhere: "Anywhere",
    showTimes: "Show free times",
    chooseTime: "Choose a day and a time",
    earlier: "Earlier month",
    later: "Later month",
    isFree: "{date}: free times",
    noneInMonth: "No free times in {month}.",
    nextFree: "Next free time: {time}",
    timesOn: "Free times on {date}",
    noneOn: "No free times on this day.",
    morning: "Morning",
    afternoon: "Afternoon",
    evening: "Evening",
    zone: "Times are local: {place}.",
    zoneOfBusiness: "Times are local to the business.",
    change: "Change",
    anotherTime: "Choose another time",
    details: "Your details",
    name: "Name",
    email: "Email address",
    phone: "Phone",
    contactHint: "One of the two is enough.",
    notes: "Anything we should know? (optional)",
    needName: "Please write your name.",
    needContact: "Please write an email address or a phone number.",
    needEmail:
      "For this time, please write an email address: we send a link there with which you confirm the visit.",
    invalidEmail: "This is not an email address. One looks like ana@example.com.",
    invalidPhone: "This is not a phone number.",
    invalid: "This is too long or has invisible characters.",
    heldUntil: "We keep this time for you until {time}.",
    total: "Total",
    fromPrice: "from {price}",
    submitRequest: "Send the request",
    submitConfirm: "Book now",
    requestNote: "{business} looks at each request. You see the answer on the next page.",
    privacy: "How your data are used",
    lost: "This time is no longer free. Nothing you wrote is lost. Choose one of the nearest free times.",
    taken: "That time is no longer free. Please choose another.",
    nearest: "Nearest free times",
    priceChanged: "The price has changed to {price}. Please look at it and send the form again.",
    closed: "Online booking is closed at the moment.",
    shareUsed: "More bookings are taken by phone only.",
    noMoreBookings: "No more bookings are taken here at the moment.",
    dayFull:
      "No more bookings for {date} are taken online at the moment. Please choose another day.",
    call: "Call {business}",
    gone: "This is no longer offered as you chose it. Please choose again.",
    otherVariant:
      "The person you chose does not perform this one. Please choose another person or another option.",
    pending: "Request received",
    confirmed: "You are booked",
    cancelled: "Cancelled",
    completed: "Thank you for your visit",
    noShow: "Marked as missed",
    pendingText:
      "{business} has not answered yet. It does so by {time}; otherwise the request ends.",
    confirmedText: "{business} expects you.",
    declinedText: "{business} could not take this request.",
    keepLink: "Keep the address of this page: it is your way back to this visit.",
    openLink: "Open this page in a window of its own",
    keepOpened: "and keep its address: it leads back to this visit.",
    linkChanges: "Whoever has it can change the visit.",
    linkHasTickets: "Whoever has it can use the tickets.",
    changeUntil: "You can move or cancel it until {time}.",
    changeClosed: "It can no longer be changed here.",
    cannotMove:
      "No other time can be chosen here, because it is no longer offered as it was booked.",
    keepsTime: "Your visit keeps its time.",
    callForTime: "For the time you chose, please call.",
    timeNotTaken: "The time you chose cannot be booked here.",
    cancel: "Cancel",
    cancelSure: "Cancel this visit? It cannot be undone.",
    cancelYes: "Yes, cancel",
    move: "Move",
    moveTitle: "Move your visit",
    keepTime: "Keep the time",
    moved: "Your visit has been moved.",
    addToCalendar: "Add to calendar",
    bookAgain: "Book again",
    formUsed:
      "This form has already been used for a booking. The page that followed has its link, and so has the mail if you got one. To book something else, or with other details, start again.",
    toBooked: "Go to your booking",
    linkEnded: "This link has ended",
    linkEndedText: "Please ask the business where you booked.",
    when: "When",
    what: "What",
    who: "With",
    where: "Where",
    people: "People",
    yourTime: "your time: {time}",
    sending: "Sending …",
    tableFor: "Table for {count}",
    tickets: "Tickets",
    ticketsOf: "How many tickets?",
    soldOut: "sold out",
    notOnSale: "not on sale",
    continue: "Continue",
    submitOrder: "Order the tickets",
    orderNote:
      "You pay {business}, which then confirms the order. We keep the tickets until {time}.",
    orderPending: "Tickets reserved",
    orderPendingText:
      "Pay {business} by {time}, and give the code below. Otherwise the order ends.",
    orderConfirmed: "Your tickets are confirmed",
    orderConfirmedText:
      "Show the codes of your tickets at the entrance. The code below is that of the order and admits nobody.",
    showCodes: "Show the code of each ticket at the entrance.",
    ticketUsed: "checked in",
    orderExpired: "The order has ended",
    eventCancelled: "This event is cancelled.",
    eventPostponed: "This event is postponed.",
    code: "Code",
    cancelOrderSure: "Cancel this order? It cannot be undone.",
    fewLeft: "Fewer tickets are left than you chose. Please choose again.",
    mostTickets: "Tickets per order: at most {count} ({names}). Please choose again.",
    checkMail: "Please look into your mailbox",
    checkMailText: "We sent a link to the address that you wrote. Open it and confirm by {time}.",
    wrongAddress:
      "If the address was wrong, correct it here. A new link then replaces the first one.",
    confirmTitle: "Confirm your visit",
    confirmText: "Nothing is booked before you confirm it.",
    confirmRequestTitle: "Confirm your request",
    confirmRequestText:
      "{business} gets the request only once you confirm it, and then answers it.",
    confirmYes: "Confirm the visit",
    confirmLate: "This time was not confirmed soon enough, and is free for others again.",
    notKept: "Others can take this time until you confirm it.",
  },
  de: {
    title: "Buchen",
    services: "Leistungen",
    table: "Tisch reservieren",
    nothing: "Im Moment kann hier nichts gebucht werden.",
    free: "kostenlos",
    variant: "Welche Ausführung?",
    addons: "Noch etwas dazu?",
    included: "inbegriffen",
    none: "keine",
    staff: "Bei wem?",
    anyone: "Egal, wer frei ist",
    guests: "Wie viele Personen?",
    area: "Wo?",
    anywhere: "Egal wo",
    showTimes: "Freie Zeiten zeigen",
    chooseTime: "Tag und Zeit wählen",
    earlier: "Früherer Monat",
    later: "Späterer Monat",
    isFree: "{date}: freie Zeiten",
    noneInMonth: "Keine freien Zeiten im {month}.",
    nextFree: "Nächste freie Zeit: {time}",
    timesOn: "Freie Zeiten am {date}",
    noneOn: "Keine freien Zeiten an diesem Tag.",
    morning: "Vormittag",
    afternoon: "Nachmittag",
    evening: "Abend",
    zone: "Zeiten vor Ort: {place}.",
    zoneOfBusiness: "Die Zeiten gelten am Ort des Betriebs.",
    change: "Ändern",
    anotherTime: "Andere Zeit wählen",
    details: "Ihre Angaben",
    name: "Name",
    email: "E-Mail-Adresse",
    phone: "Telefon",
    contactHint: "Eins von beiden genügt.",
    notes: "Sollen wir etwas wissen? (freiwillig)",
    needName: "Bitte schreiben Sie Ihren Namen.",
    needContact: "Bitte schreiben Sie eine E-Mail-Adresse oder Telefonnummer.",
    needEmail:
      "Für diese Zeit schreiben Sie bitte eine E-Mail-Adresse: Wir schicken Ihnen einen Link, mit dem Sie den Besuch bestätigen.",
    invalidEmail: "Das ist keine E-Mail-Adresse wie ana@example.com.",
    invalidPhone: "Das ist keine Telefonnummer.",
    invalid: "Das ist zu lang oder hat unsichtbare Zeichen.",
    heldUntil: "Wir halten diese Zeit bis {time} für Sie frei.",
    total: "Gesamt",
    fromPrice: "ab {price}",
    submitRequest: "Anfrage senden",
    submitConfirm: "Jetzt buchen",
    requestNote:
      "{business} sieht jede Anfrage durch. Die Antwort sehen Sie auf der nächsten Seite.",
    privacy: "Wie Ihre Daten verwendet werden",
    lost: "Diese Zeit ist nicht mehr frei. Ihre Angaben sind noch da. Wählen Sie eine der nächsten freien Zeiten.",
    taken: "Diese Zeit ist nicht mehr frei. Bitte wählen Sie eine andere.",
    nearest: "Nächste freie Zeiten",
    priceChanged:
      "Der Preis ist jetzt {price}. Bitte prüfen Sie ihn und senden Sie das Formular noch einmal.",
    closed: "Die Online-Buchung ist im Moment geschlossen.",
    shareUsed: "Weitere Buchungen nehmen wir nur telefonisch an.",
    noMoreBookings: "Weitere Buchungen nehmen wir hier im Moment nicht an.",
    dayFull:
      "Für {date} nehmen wir online im Moment keine Buchungen mehr an. Bitte wählen Sie einen anderen Tag.",
    call: "{business} anrufen",
    gone: "Das gibt es so nicht mehr. Bitte wählen Sie neu.",
    otherVariant:
      "Die gewählte Person bietet diese Ausführung nicht an. Bitte wählen Sie eine andere Person oder Ausführung.",
    pending: "Anfrage eingegangen",
    confirmed: "Sie haben gebucht",
    cancelled: "Abgesagt",
    completed: "Danke für Ihren Besuch",
    noShow: "Als versäumt vermerkt",
    pendingText:
      "{business} hat noch nicht geantwortet. Das geschieht bis {time}, sonst endet die Anfrage.",
    confirmedText: "{business} erwartet Sie.",
    declinedText: "{business} konnte diese Anfrage nicht annehmen.",
    keepLink: "Bewahren Sie die Adresse dieser Seite auf: Sie führt zurück zu Ihrem Besuch.",
    openLink: "Diese Seite in einem eigenen Fenster öffnen",
    keepOpened: "und ihre Adresse aufbewahren: Sie führt zu diesem Besuch zurück.",
    linkChanges: "Wer sie hat, kann ihn ändern.",
    linkHasTickets: "Wer sie hat, kann die Tickets benutzen.",
    changeUntil: "Sie können bis {time} verschieben oder absagen.",
    changeClosed: "Hier lässt sich das nicht mehr ändern.",
    cannotMove: "Hier lässt sich keine andere Zeit wählen, weil es so nicht mehr angeboten wird.",
    keepsTime: "Ihr Besuch behält seine Zeit.",
    callForTime: "Für die gewählte Zeit rufen Sie bitte an.",
    timeNotTaken: "Die gewählte Zeit lässt sich hier nicht buchen.",
    cancel: "Absagen",
    cancelSure: "Diesen Besuch absagen? Das lässt sich nicht zurücknehmen.",
    cancelYes: "Ja, absagen",
    move: "Verschieben",
    moveTitle: "Besuch verschieben",
    keepTime: "Zeit behalten",
    moved: "Ihr Besuch wurde verschoben.",
    addToCalendar: "In den Kalender",
    bookAgain: "Wieder buchen",
    formUsed:
      "Mit diesem Formular wurde schon gebucht. Den Link dazu hat die Seite, die darauf folgte, und die E-Mail, falls Sie eine bekommen haben. Für eine andere Buchung oder mit anderen Angaben beginnen Sie bitte neu.",
    toBooked: "Zu Ihrer Buchung",
    linkEnded: "Dieser Link gilt nicht mehr",
    linkEndedText: "Bitte fragen Sie dort nach, wo Sie gebucht haben.",
    when: "Wann",
    what: "Was",
    who: "Bei",
    where: "Wo",
    people: "Personen",
    yourTime: "Ihre Zeit: {time}",
    sending: "Wird gesendet …",
    tableFor: "Tisch für {count}",
    tickets: "Tickets",
    ticketsOf: "Wie viele Tickets?",
    soldOut: "ausverkauft",
    notOnSale: "nicht im Verkauf",
    continue: "Weiter",
    submitOrder: "Tickets bestellen",
    orderNote:
      "Sie zahlen bei {business}; danach wird die Bestellung bestätigt. Wir halten die Tickets bis {time}.",
    orderPending: "Tickets reserviert",
    orderPendingText:
      "Zahlen Sie bis {time} bei {business} und nennen Sie den Code unten. Sonst endet die Bestellung.",
    orderConfirmed: "Ihre Tickets sind bestätigt",
    orderConfirmedText:
      "Zeigen Sie am Einlass die Codes Ihrer Tickets. Der Code unten ist der Ihrer Bestellung und gilt nicht als Ticket.",
    showCodes: "Zeigen Sie am Einlass den Code jedes Tickets.",
    ticketUsed: "eingelöst",
    orderExpired: "Die Bestellung ist abgelaufen",
    eventCancelled: "Diese Veranstaltung ist abgesagt.",
    eventPostponed: "Diese Veranstaltung ist verschoben.",
    code: "Code",
    cancelOrderSure: "Diese Bestellung stornieren? Das lässt sich nicht zurücknehmen.",
    fewLeft: "So viele Tickets gibt es nicht mehr. Bitte wählen Sie neu.",
    mostTickets: "Tickets je Bestellung: höchstens {count} ({names}). Bitte wählen Sie neu.",
    checkMail: "Bitte sehen Sie in Ihr Postfach",
    checkMailText:
      "Wir haben einen Link an Ihre Adresse geschickt. Öffnen Sie ihn und bestätigen Sie bis {time}.",
    wrongAddress:
      "War die Adresse falsch, können Sie sie hier berichtigen. Ein neuer Link ersetzt dann den ersten.",
    confirmTitle: "Termin bestätigen",
    confirmText: "Gebucht ist erst, was Sie bestätigen.",
    confirmRequestTitle: "Anfrage bestätigen",
    confirmRequestText:
      "{business} bekommt die Anfrage erst, wenn Sie sie bestätigen, und antwortet dann.",
    confirmYes: "Termin bestätigen",
    confirmLate: "Diese Zeit wurde nicht rechtzeitig bestätigt und ist wieder für andere frei.",
    notKept: "Bis Sie bestätigen, können andere diese Zeit buchen.",
  },
  fr: {
    title: "Réserver",
    services: "Prestations",
    table: "Réserver une table",
    nothing: "Rien ne peut être réservé ici pour le moment.",
    free: "gratuit",
    variant: "Quelle formule ?",
    addons: "Autre chose ?",
    included: "inclus",
    none: "aucun",
    staff: "Avec qui ?",
    anyone: "Peu importe",
    guests: "Combien de personnes ?",
    area: "Où ?",
    anywhere: "Peu importe",
    showTimes: "Voir les horaires libres",
    chooseTime: "Choisissez un jour et une heure",
    earlier: "Mois précédent",
    later: "Mois suivant",
    isFree: "{date} : horaires libres",
    noneInMonth: "Aucun horaire libre en {month}.",
    nextFree: "Prochain horaire libre : {time}",
    timesOn: "Horaires libres le {date}",
    noneOn: "Aucun horaire libre ce jour-là.",
    morning: "Matin",
    afternoon: "Après-midi",
    evening: "Soir",
    zone: "Heures locales : {place}.",
    zoneOfBusiness: "Les heures sont celles du lieu de l’établissement.",
    change: "Modifier",
    anotherTime: "Choisir un autre horaire",
    details: "Vos coordonnées",
    name: "Nom",
    email: "Adresse e-mail",
    phone: "Téléphone",
    contactHint: "L’un des deux suffit.",
    notes: "Une précision ? (facultatif)",
    needName: "Veuillez indiquer votre nom.",
    needContact: "Veuillez indiquer une adresse e-mail ou un numéro de téléphone.",
    needEmail:
      "Pour cet horaire, veuillez écrire une adresse e-mail : nous y envoyons un lien pour confirmer la visite.",
    invalidEmail: "Ce n’est pas une adresse e-mail telle que ana@example.com.",
    invalidPhone: "Ce n’est pas un numéro de téléphone.",
    invalid: "C’est trop long ou contient des caractères invisibles.",
    heldUntil: "Nous vous gardons cet horaire jusqu’à {time}.",
    total: "Total",
    fromPrice: "dès {price}",
    submitRequest: "Envoyer la demande",
    submitConfirm: "Réserver",
    requestNote: "{business} examine chaque demande. Vous verrez la réponse sur la page suivante.",
    privacy: "Comment vos données sont utilisées",
    lost: "Cet horaire n’est plus libre. Vos données sont conservées. Choisissez l’un des horaires libres les plus proches.",
    taken: "Cet horaire n’est plus libre. Choisissez-en un autre.",
    nearest: "Horaires libres les plus proches",
    priceChanged: "Le prix est maintenant de {price}. Vérifiez-le et renvoyez le formulaire.",
    closed: "La réservation en ligne est fermée pour le moment.",
    shareUsed: "Les autres réservations se prennent uniquement par téléphone.",
    noMoreBookings: "Aucune autre réservation n’est prise ici pour le moment.",
    dayFull:
      "Pour le moment, nous ne prenons plus de réservations en ligne pour le {date}. Veuillez choisir un autre jour.",
    call: "Appeler {business}",
    gone: "Ce choix n’est plus proposé. Veuillez choisir à nouveau.",
    otherVariant:
      "La personne choisie ne propose pas cette formule. Veuillez choisir une autre personne ou une autre formule.",
    pending: "Demande reçue",
    confirmed: "Votre réservation est confirmée",
    cancelled: "Annulé",
    completed: "Merci de votre visite",
    noShow: "Marqué comme manqué",
    pendingText:
      "{business} n’a pas encore répondu. La réponse arrive avant {time}, sinon la demande prend fin.",
    confirmedText: "{business} vous attend.",
    declinedText: "{business} n’a pas pu accepter cette demande.",
    keepLink: "Gardez l’adresse de cette page : elle vous ramène à cette visite.",
    openLink: "Ouvrir cette page dans sa propre fenêtre",
    keepOpened: "et conserver son adresse : elle ramène à cette visite.",
    linkChanges: "Qui la possède peut la modifier.",
    linkHasTickets: "Qui la possède peut utiliser les billets.",
    changeUntil: "Vous pouvez déplacer ou annuler jusqu’à {time}.",
    changeClosed: "Elle ne peut plus être modifiée ici.",
    cannotMove:
      "Aucune autre heure ne peut être choisie ici, car cette réservation n’est plus proposée ainsi.",
    keepsTime: "Votre visite garde son horaire.",
    callForTime: "Pour l’horaire choisi, veuillez appeler.",
    timeNotTaken: "L’horaire choisi ne peut pas être réservé ici.",
    cancel: "Annuler",
    cancelSure: "Annuler cette visite ? C’est définitif.",
    cancelYes: "Oui, annuler",
    move: "Déplacer",
    moveTitle: "Déplacer votre visite",
    keepTime: "Garder l’horaire",
    moved: "Votre visite a été déplacée.",
    addToCalendar: "Ajouter au calendrier",
    bookAgain: "Réserver à nouveau",
    formUsed:
      "Ce formulaire a déjà servi à une réservation. Son lien se trouve sur la page qui a suivi, et dans l’e-mail si vous en avez reçu un. Pour une autre réservation, ou avec d’autres données, recommencez.",
    toBooked: "Voir votre réservation",
    linkEnded: "Ce lien n’est plus valable",
    linkEndedText: "Adressez-vous à l’établissement où vous avez réservé.",
    when: "Quand",
    what: "Quoi",
    who: "Avec",
    where: "Où",
    people: "Personnes",
    yourTime: "chez vous : {time}",
    sending: "Envoi …",
    tableFor: "Table pour {count}",
    tickets: "Billets",
    ticketsOf: "Combien de billets ?",
    soldOut: "complet",
    notOnSale: "pas en vente",
    continue: "Continuer",
    submitOrder: "Commander les billets",
    orderNote:
      "Vous payez {business}, qui confirme ensuite la commande. Les billets sont gardés jusqu’à {time}.",
    orderPending: "Billets réservés",
    orderPendingText:
      "Payez {business} avant {time} en indiquant le code ci-dessous. Sinon la commande prend fin.",
    orderConfirmed: "Vos billets sont confirmés",
    orderConfirmedText:
      "Présentez les codes de vos billets à l’entrée. Le code ci-dessous est celui de la commande et ne vaut pas billet.",
    showCodes: "Présentez le code de chaque billet à l’entrée.",
    ticketUsed: "utilisé",
    orderExpired: "La commande a expiré",
    eventCancelled: "Cet événement est annulé.",
    eventPostponed: "Cet événement est reporté.",
    code: "Code",
    cancelOrderSure: "Annuler cette commande ? C’est définitif.",
    fewLeft: "Il ne reste pas autant de billets. Veuillez choisir à nouveau.",
    mostTickets: "Billets par commande : {count} au plus ({names}). Veuillez choisir à nouveau.",
    checkMail: "Veuillez regarder vos messages",
    checkMailText:
      "Nous avons envoyé un lien à l’adresse que vous avez écrite. Ouvrez-le et confirmez avant {time}.",
    wrongAddress:
      "Si l’adresse était fausse, corrigez-la ici. Un nouveau lien remplace alors le premier.",
    confirmTitle: "Confirmez votre visite",
    confirmText: "Rien n’est réservé avant votre confirmation.",
    confirmRequestTitle: "Confirmez votre demande",
    confirmRequestText:
      "{business} ne reçoit la demande qu’après votre confirmation, puis y répond.",
    confirmYes: "Confirmer la visite",
    confirmLate: "Cet horaire n’a pas été confirmé à temps et est de nouveau libre.",
    notKept: "Tant que vous n’avez pas confirmé, d’autres peuvent prendre cet horaire.",
  },
  es: {
    title: "Reservar",
    services: "Servicios",
    table: "Reservar mesa",
    nothing: "De momento no se puede reservar nada aquí.",
    free: "gratis",
    variant: "¿Qué opción?",
    addons: "¿Algo más?",
    included: "incluido",
    none: "ninguno",
    staff: "¿Con quién?",
    anyone: "Cualquiera que esté libre",
    guests: "¿Cuántas personas?",
    area: "¿Dónde?",
    anywhere: "En cualquier sitio",
    showTimes: "Ver horas libres",
    chooseTime: "Elija día y hora",
    earlier: "Mes anterior",
    later: "Mes siguiente",
    isFree: "{date}: horas libres",
    noneInMonth: "No hay horas libres en {month}.",
    nextFree: "Próxima hora libre: {time}",
    timesOn: "Horas libres el {date}",
    noneOn: "No hay horas libres ese día.",
    morning: "Mañana",
    afternoon: "Tarde",
    evening: "Noche",
    zone: "Horas locales: {place}.",
    zoneOfBusiness: "Las horas son las del lugar del negocio.",
    change: "Cambiar",
    anotherTime: "Elegir otra hora",
    details: "Sus datos",
    name: "Nombre",
    email: "Correo electrónico",
    phone: "Teléfono",
    contactHint: "Basta con uno de los dos.",
    notes: "¿Algo que debamos saber? (opcional)",
    needName: "Escriba su nombre.",
    needContact: "Escriba un correo electrónico o un teléfono.",
    needEmail:
      "Para esta hora, escriba un correo electrónico: le enviaremos un enlace para confirmar la visita.",
    invalidEmail: "No es una dirección como ana@example.com.",
    invalidPhone: "No es un número de teléfono.",
    invalid: "Es demasiado largo o tiene caracteres invisibles.",
    heldUntil: "Le guardamos esta hora hasta las {time}.",
    total: "Total",
    fromPrice: "desde {price}",
    submitRequest: "Enviar la solicitud",
    submitConfirm: "Reservar",
    requestNote: "{business} revisa cada solicitud. Verá la respuesta en la página siguiente.",
    privacy: "Cómo se usan sus datos",
    lost: "Esa hora ya no está libre. Sus datos se conservan. Elija una de las horas libres más cercanas.",
    taken: "Esa hora ya no está libre. Elija otra.",
    nearest: "Horas libres más cercanas",
    priceChanged: "El precio es ahora {price}. Revíselo y envíe el formulario de nuevo.",
    closed: "La reserva en línea está cerrada en este momento.",
    shareUsed: "Las demás reservas se toman solo por teléfono.",
    noMoreBookings: "De momento no se toman más reservas aquí.",
    dayFull: "De momento no aceptamos más reservas en línea para el {date}. Elija otro día.",
    call: "Llamar a {business}",
    gone: "Esto ya no se ofrece así. Elija de nuevo.",
    otherVariant: "La persona elegida no ofrece esta opción. Elija otra persona u otra opción.",
    pending: "Solicitud recibida",
    confirmed: "Su reserva está confirmada",
    cancelled: "Cancelada",
    completed: "Gracias por su visita",
    noShow: "Marcada como no asistida",
    pendingText:
      "{business} aún no ha respondido. Lo hará antes de {time}; si no, la solicitud termina.",
    confirmedText: "{business} le espera.",
    declinedText: "{business} no pudo aceptar esta solicitud.",
    keepLink: "Guarde la dirección de esta página: le lleva de vuelta a esta visita.",
    openLink: "Abrir esta página en una ventana propia",
    keepOpened: "y guardar su dirección: le lleva de vuelta a esta visita.",
    linkChanges: "Quien la tenga puede cambiarla.",
    linkHasTickets: "Quien la tenga puede usar las entradas.",
    changeUntil: "Puede cambiarla o cancelarla hasta {time}.",
    changeClosed: "Ya no se puede cambiar aquí.",
    cannotMove: "Aquí no se puede elegir otra hora, porque ya no se ofrece tal como se reservó.",
    keepsTime: "Su visita conserva su hora.",
    callForTime: "Para la hora elegida, llame, por favor.",
    timeNotTaken: "La hora elegida no se puede reservar aquí.",
    cancel: "Cancelar",
    cancelSure: "¿Cancelar esta visita? No se puede deshacer.",
    cancelYes: "Sí, cancelar",
    move: "Cambiar de hora",
    moveTitle: "Cambiar su visita",
    keepTime: "Mantener la hora",
    moved: "Su visita ha sido cambiada.",
    addToCalendar: "Añadir al calendario",
    bookAgain: "Reservar otra vez",
    formUsed:
      "Con este formulario ya se ha hecho una reserva. Su enlace está en la página que apareció después, y en el correo si recibió uno. Para otra reserva, o con otros datos, empiece de nuevo.",
    toBooked: "Ver su reserva",
    linkEnded: "Este enlace ya no es válido",
    linkEndedText: "Pregunte en el negocio donde reservó.",
    when: "Cuándo",
    what: "Qué",
    who: "Con",
    where: "Dónde",
    people: "Personas",
    yourTime: "su hora: {time}",
    sending: "Enviando …",
    tableFor: "Mesa para {count}",
    tickets: "Entradas",
    ticketsOf: "¿Cuántas entradas?",
    soldOut: "agotadas",
    notOnSale: "no está a la venta",
    continue: "Continuar",
    submitOrder: "Pedir las entradas",
    orderNote:
      "Usted paga a {business}, que después confirma el pedido. Guardamos las entradas hasta {time}.",
    orderPending: "Entradas reservadas",
    orderPendingText:
      "Pague a {business} antes de {time} e indique el código de abajo. Si no, el pedido termina.",
    orderConfirmed: "Sus entradas están confirmadas",
    orderConfirmedText:
      "Muestre los códigos de sus entradas al llegar. El código de abajo es el del pedido y no sirve de entrada.",
    showCodes: "Muestre el código de cada entrada al llegar.",
    ticketUsed: "utilizada",
    orderExpired: "El pedido ha caducado",
    eventCancelled: "Este evento está cancelado.",
    eventPostponed: "Este evento está aplazado.",
    code: "Código",
    cancelOrderSure: "¿Cancelar este pedido? No se puede deshacer.",
    fewLeft: "Ya no quedan tantas entradas. Elija de nuevo.",
    mostTickets: "Entradas por pedido: {count} como máximo ({names}). Elija de nuevo.",
    checkMail: "Mire su correo, por favor",
    checkMailText:
      "Hemos enviado un enlace a la dirección que ha escrito. Ábralo y confirme antes de {time}.",
    wrongAddress:
      "Si la dirección era incorrecta, corríjala aquí. Un enlace nuevo sustituye entonces al primero.",
    confirmTitle: "Confirme su visita",
    confirmText: "Nada está reservado antes de que lo confirme.",
    confirmRequestTitle: "Confirme su solicitud",
    confirmRequestText:
      "{business} solo recibe la solicitud cuando usted la confirma, y después la responde.",
    confirmYes: "Confirmar la visita",
    confirmLate: "Esta hora no se confirmó a tiempo y vuelve a estar libre.",
    notKept: "Hasta que la confirme, otros pueden reservar esta hora.",
  },
  it: {
    title: "Prenota",
    services: "Servizi",
    table: "Prenota un tavolo",
    nothing: "Al momento qui non si può prenotare nulla.",
    free: "gratuito",
    variant: "Quale opzione?",
    addons: "Qualcos’altro?",
    included: "incluso",
    none: "nessuno",
    staff: "Con chi?",
    anyone: "Chiunque sia libero",
    guests: "Quante persone?",
    area: "Dove?",
    anywhere: "Ovunque",
    showTimes: "Mostra gli orari liberi",
    chooseTime: "Scegli giorno e ora",
    earlier: "Mese precedente",
    later: "Mese successivo",
    isFree: "{date}: orari liberi",
    noneInMonth: "Nessun orario libero a {month}.",
    nextFree: "Prossimo orario libero: {time}",
    timesOn: "Orari liberi: {date}",
    noneOn: "Nessun orario libero in questo giorno.",
    morning: "Mattina",
    afternoon: "Pomeriggio",
    evening: "Sera",
    zone: "Orari locali: {place}.",
    zoneOfBusiness: "Gli orari sono quelli del luogo dell’attività.",
    change: "Modifica",
    anotherTime: "Scegli un altro orario",
    details: "I tuoi dati",
    name: "Nome",
    email: "Indirizzo e-mail",
    phone: "Telefono",
    contactHint: "Ne basta uno dei due.",
    notes: "Qualcosa da sapere? (facoltativo)",
    needName: "Scrivi il tuo nome.",
    needContact: "Scrivi un indirizzo e-mail o un numero di telefono.",
    needEmail:
      "Per questo orario scrivi un indirizzo e-mail: ti inviamo un link per confermare la visita.",
    invalidEmail: "Non è un indirizzo come ana@example.com.",
    invalidPhone: "Non è un numero di telefono.",
    invalid: "È troppo lungo o ha caratteri invisibili.",
    heldUntil: "Ti teniamo questo orario fino alle {time}.",
    total: "Totale",
    fromPrice: "da {price}",
    submitRequest: "Invia la richiesta",
    submitConfirm: "Prenota ora",
    requestNote: "{business} esamina ogni richiesta. La risposta appare nella pagina seguente.",
    privacy: "Come vengono usati i tuoi dati",
    lost: "Questo orario non è più libero. I tuoi dati sono ancora qui. Scegli uno degli orari liberi più vicini.",
    taken: "Quell’orario non è più libero. Scegline un altro.",
    nearest: "Orari liberi più vicini",
    priceChanged: "Il prezzo ora è {price}. Controllalo e invia di nuovo il modulo.",
    closed: "La prenotazione online è chiusa al momento.",
    shareUsed: "Altre prenotazioni si prendono solo per telefono.",
    noMoreBookings: "Al momento qui non si prendono altre prenotazioni.",
    dayFull:
      "Al momento non accettiamo altre prenotazioni online per {date}. Scegli un altro giorno.",
    call: "Chiama {business}",
    gone: "Questa scelta non è più disponibile. Scegli di nuovo.",
    otherVariant:
      "La persona scelta non offre questa opzione. Scegli un’altra persona o un’altra opzione.",
    pending: "Richiesta ricevuta",
    confirmed: "La prenotazione è confermata",
    cancelled: "Annullata",
    completed: "Grazie della visita",
    noShow: "Segnata come mancata",
    pendingText:
      "{business} non ha ancora risposto. Lo farà entro {time}; altrimenti la richiesta termina.",
    confirmedText: "{business} ti aspetta.",
    declinedText: "{business} non ha potuto accettare questa richiesta.",
    keepLink: "Conserva l’indirizzo di questa pagina: riporta a questa visita.",
    openLink: "Aprire questa pagina in una finestra propria",
    keepOpened: "e conservarne l’indirizzo: riporta a questa visita.",
    linkChanges: "Chi lo ha può modificarla.",
    linkHasTickets: "Chi lo ha può usare i biglietti.",
    changeUntil: "Puoi spostarla o annullarla fino a {time}.",
    changeClosed: "Qui non si può più modificare.",
    cannotMove:
      "Qui non si può scegliere un altro orario, perché non è più offerta come è stata prenotata.",
    keepsTime: "La tua visita mantiene l’orario.",
    callForTime: "Per l’orario scelto, telefona.",
    timeNotTaken: "L’orario scelto non si può prenotare qui.",
    cancel: "Annulla",
    cancelSure: "Annullare questa visita? Non si può tornare indietro.",
    cancelYes: "Sì, annulla",
    move: "Sposta",
    moveTitle: "Sposta la visita",
    keepTime: "Mantieni l’orario",
    moved: "La visita è stata spostata.",
    addToCalendar: "Aggiungi al calendario",
    bookAgain: "Prenota di nuovo",
    formUsed:
      "Con questo modulo è già stata fatta una prenotazione. Il link è nella pagina che è seguita, e nell’e-mail se ne hai ricevuta una. Per un’altra prenotazione, o con altri dati, ricomincia.",
    toBooked: "Vai alla tua prenotazione",
    linkEnded: "Questo link non è più valido",
    linkEndedText: "Chiedi a chi ha preso la prenotazione.",
    when: "Quando",
    what: "Che cosa",
    who: "Con",
    where: "Dove",
    people: "Persone",
    yourTime: "la tua ora: {time}",
    sending: "Invio …",
    tableFor: "Tavolo per {count}",
    tickets: "Biglietti",
    ticketsOf: "Quanti biglietti?",
    soldOut: "esaurito",
    notOnSale: "non in vendita",
    continue: "Continua",
    submitOrder: "Ordina i biglietti",
    orderNote:
      "Paghi {business}, che poi conferma l’ordine. I biglietti restano riservati fino a {time}.",
    orderPending: "Biglietti riservati",
    orderPendingText:
      "Paga {business} entro {time} e indica il codice qui sotto. Altrimenti l’ordine termina.",
    orderConfirmed: "I tuoi biglietti sono confermati",
    orderConfirmedText:
      "Mostra i codici dei tuoi biglietti all’ingresso. Il codice qui sotto è quello dell’ordine e non vale come biglietto.",
    showCodes: "Mostra il codice di ogni biglietto all’ingresso.",
    ticketUsed: "usato",
    orderExpired: "L’ordine è scaduto",
    eventCancelled: "Questo evento è annullato.",
    eventPostponed: "Questo evento è rinviato.",
    code: "Codice",
    cancelOrderSure: "Annullare questo ordine? Non si può tornare indietro.",
    fewLeft: "Non ci sono più così tanti biglietti. Scegli di nuovo.",
    mostTickets: "Biglietti per ordine: al massimo {count} ({names}). Scegli di nuovo.",
    checkMail: "Guarda nella tua posta",
    checkMailText:
      "Abbiamo inviato un link all’indirizzo che hai scritto. Aprilo e conferma entro {time}.",
    wrongAddress:
      "Se l’indirizzo era sbagliato, correggilo qui. Un nuovo link sostituisce allora il primo.",
    confirmTitle: "Conferma la tua visita",
    confirmText: "Nulla è prenotato prima della tua conferma.",
    confirmRequestTitle: "Conferma la tua richiesta",
    confirmRequestText: "{business} riceve la richiesta solo dopo la tua conferma, e poi risponde.",
    confirmYes: "Confermare la visita",
    confirmLate: "Questo orario non è stato confermato in tempo ed è di nuovo libero.",
    notKept: "Finché non confermi, altri possono prendere questo orario.",
  },
};

export const textsOf = (language: PageLanguage): BookingTexts => TEXTS[language];

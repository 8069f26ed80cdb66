/**
 * Mail providers that give each person few mailboxes. Whoever owns another domain can receive mail
 * to any number of addresses in it.
 */
const PROVIDERS = new Set(
  `126.com 163.com aol.com arcor.de att.net bellsouth.net bigpond.com bluewin.ch bol.com.br
  btinternet.com centrum.cz charter.net comcast.net cox.net earthlink.net eircom.net email.cz
  fastmail.com free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com
  hanmail.net hey.com home.nl hotmail.co.uk hotmail.com hotmail.de hotmail.es hotmail.fr
  hotmail.it icloud.com ig.com.br inbox.lv interia.pl kpnmail.nl laposte.net libero.it live.co.uk
  live.com live.de live.fr live.it live.nl mac.com mail.de mail.ru mailbox.org me.com msn.com
  naver.com neuf.fr o2.pl onet.pl online.no op.pl optonline.net optusnet.com.au
  orange.fr outlook.com outlook.de outlook.es outlook.fr outlook.it planet.nl pm.me posteo.de
  proton.me protonmail.com qq.com rediffmail.com rogers.com sapo.pt sbcglobal.net seznam.cz
  sfr.fr shaw.ca sky.com skynet.be sympatico.ca t-online.de talktalk.net telefonica.net
  telenet.be telia.com telus.net terra.com.br tim.it tiscali.it tuta.com tutanota.com ukr.net
  uol.com.br verizon.net virgilio.it virginmedia.com wanadoo.fr web.de wp.pl xtra.co.nz yahoo.ca
  yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.au yahoo.com.br yahoo.de yahoo.es
  yahoo.fr yahoo.in yahoo.it yandex.com yandex.ru ymail.com zeelandnet.nl ziggo.nl zoho.com`.split(
    /\s+/,
  ),
);

export const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf("@") + 1).toLowerCase();

/** Returns whether a domain belongs to a large mail provider, where nobody has many mailboxes. */
export const isMailProvider = (domain: string): boolean => PROVIDERS.has(domain);

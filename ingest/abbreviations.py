"""Words with a full stop that is no sentence end, as data: lower case, without the last full stop. Several languages in one table.

A word is listed where it is common in running text of law, science, business or news; the rules that use these sets are in
`ingest.sentences`.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BOUND = _words(
    # titles and forms of address
    "mr mrs messrs mx dr drs prof revd msgr capt cmdr lt sgt maj brig"
    # signposts inside a sentence
    " e.g i.e eg viz cf vs v approx esp incl excl resp a.k.a n.b"
    # German
    " z.b d.h u.u o.ä i.d.r s.o s.u m.e z.t v.a bzw vgl ggf evtl inkl exkl zzgl bspw sog geb gest hrsg dipl hr hl"
    " einschl entspr insb österr schweiz dt engl franz lat griech bes"
    # French
    " mme mmes mlle mgr p.ex env av apr éd"
    # Spanish, Portuguese, Italian
    " sr sra sres srta dña ud uds vd vds p.ej pág págs núm núms excmo sig sigg sig.ra dott dott.ssa avv exmo"
    # Dutch, Scandinavian
    " dhr mevr mw bijv blz f.eks bl.a t.ex jfr"
    # Russian, Ukrainian
    " т.е т.к т.н т.о напр см ср им рис табл гл стр акад проф доц ул обл"
    # Polish, Czech
    " np tj tzn ww tzw prof inż mgr tzv např"
    # Turkish
    " bkz örn"
)
"""Never ends a sentence: what follows belongs to it."""

NUMBERED = _words(
    "no nos nr nrs num fig figs figure tab tabs tbl eq eqs eqn sec secs sect ch chap vol vols art arts para paras"
    " par pars p pp pg"
    " cl cls sch ex exh app ann annex amend reg regs r rr s ss n nn l ll line ed pt pts ver rel rev fol doc dok abs"
    " abb anm bd art ziff"
    " kap rn rz rdnr s lit buchst nr pos tel fax fo chr rs usd eur art n° núm inc pub pat ser iss op q qq ep"
    " mar mai jun jul dec dez dic déc sep sub"
    " ст п пп гл рис табл стр № т кн ч"
)
"""Ends no sentence where a number, a Roman numeral, a single letter or a section sign follows ("No. 5", "Art. IV")."""

NAMELIKE = _words(
    "ms hon fr col gov sen sens reps pres supt rev ca lit op loc ing str sac jan feb apr aug sept oct nov"
    " ltd inc co corp llc llp plc bros cie gmbh mbh ag jr sr esq al dept div univ inst assn acad natl intl fed gen"
    " rep st ste mt ft ave"
    " blvd rd dist cir ct const stat supp cong sess comm admin bd conn ala ariz colo fla kan minn"
    " nev okla ore tenn tex vt wis wyo rev j ann trans proc lett phys chem biol med sci eng res appl math nat acad mol genet"
    " ibid id cit seq fl m.d ph.d b.a m.a b.sc m.sc d.c u.s u.k u.n u.s.a e.u h.r s.a s.l s.r.l n.v b.v p.a l.p"
    " eds ed edn diss hg aufl verl"
)
"""Often stands before a name; ends a sentence only where a plain sentence opener ("The", "However") follows."""

OPEN_ENDED = _words(
    "etc usw usf u.s.w ff f p.m a.m p.m a.d b.c ad bc u.a m.fl osv itd itp enz ecc etcétera т.д т.п др пр гг г руб"
    " тыс млн млрд min max"
    " sec hrs hr yr yrs mos wk ft lb lbs oz kg km cm mm ml mg vol"
)
"""Ends a sentence where a capital follows that is no day, month or time zone."""

STARTERS = _words(
    # English
    "the a an this that these those it its he she they we i you his her their our my your there here in on at by"
    " for from with"
    " without within of to as if when while where whether after before since until although though because however"
    " moreover further"
    " furthermore therefore thus hence then but and or nor so yet also both each every all any some many most no not"
    " such what who"
    " why how which one two three under over during between among through upon nothing nobody once only even still"
    " later today"
    " please see note first second finally instead meanwhile nevertheless likewise similarly additionally according despite"
    # German
    " der die das den dem des ein eine einer einem ein es er sie wir ich ihr dieser diese dieses im am zum zur bei"
    " mit nach von für"
    " auf aus an als wenn weil dass doch aber und oder auch so nur noch nicht seit während wie was wer wo hier dort"
    " damit daher"
    # French
    " le la les l un une des il elle ils elles nous vous je ce cet cette ces dans en pour par sur avec sans mais et"
    " ou où donc or ni"
    " car si quand comme lorsque après avant depuis selon ainsi"
    # Spanish, Portuguese, Italian
    " el los las unos unas lo yo tú él ella ellos nosotros este esta estos estas en con por para sin pero y o si"
    " cuando como según"
    " o os as um uma ele ela eles nós em no na nos nas com por sem mas e quando"
    " il lo gli i uno una egli ella essi noi voi questo questa nel nella con per senza ma se quando come"
    # Russian
    " в во на с со из к по о об от за у и а но или не он она оно они мы я вы это этот эта эти что как когда если так"
    " для при до после"
)
"""Words that open a sentence and are no part of a name, lower case."""

DATE_WORDS = _words(
    "monday tuesday wednesday thursday friday saturday sunday"
    " january february march april may june july august september october november december"
    " januar jänner februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag"
    " janvier février mars avril juin juillet août septembre octobre novembre décembre"
    " enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    " gmt utc est edt cst cdt mst mdt pst pdt cet cest bst et pt ct eastern central pacific mountain"
    " jahrhundert jahrhunderts jahrtausend weltkrieg weltkriegs auflage kapitel geburtstag lebensjahr dynastie"
)
"""Days, months, time zones and nouns that follow an ordinal ("3. March", "5 p.m. Monday", "19. Jahrhundert")."""

ORDINAL_ARTICLES = _words("am der die das dem den des im vom zum zur beim bis ab seit und den til fra den")
"""A one- or two-digit number with a full stop after one of these is an ordinal ("am 3. Oktober", "des 19. Jahrhunderts")."""

/**
 * Words that tool authors and users use interchangeably, one group per line: common verbs of tools, nouns of
 * everyday services, and technical abbreviations. From general knowledge of the language. Groups are
 * deliberately small: an expansion counts for little (see the ranker's parameters), and a wide group would
 * drown the original words.
 */
export const SYNONYM_GROUPS: readonly (readonly string[])[] = `
create add new make insert open
delete remove erase drop destroy uninstall
get fetch retrieve read view
show display view
list enumerate all show
search find look lookup query discover
update edit modify change alter
send deliver transmit
post publish share
start begin run launch execute trigger
stop end halt terminate
cancel abort revoke
enable activate
disable deactivate
approve accept confirm
reject decline deny
copy duplicate clone
merge combine join
split divide separate
compare difference
convert transform
translate translation language
calculate compute
check verify validate
analyze examine inspect analysis
recommend suggest recommendation suggestion
buy purchase order
pay payment charge
refund reimburse
book reserve reservation booking
schedule plan appointment
meeting event calendar appointment
remind reminder
notify notification alert
download export
upload import
close resolve
assign allocate
comment reply respond
answer reply respond
restore recover
deploy release rollout
play listen stream watch
movie film cinema
picture image photo photograph
song music track
sound audio volume
weather forecast rain temperature climate
price cost fee rate
money currency cash
stock share equity ticker
company business organization firm
person people individual
user account member profile
customer client
employee staff worker
issue bug ticket
file document doc
folder directory
email mail
phone telephone mobile
message text sms chat
address location place
city town
route direction navigation map
near nearby around close
flight airline plane
hotel accommodation lodging stay
restaurant dining food
recipe cook dish meal
car vehicle automobile
taxi cab ride
train railway
trip travel journey vacation
job career vacancy employment
salary wage income
news headline article
author writer
game match fixture
doctor physician medical
medicine drug medication
disease illness symptom
exercise workout fitness
definition meaning dictionary
joke humor funny
date day
url link website webpage
domain hostname
server host instance
kubernetes cluster
error exception failure
credential password secret
permission access role
configuration setting preference
parameter argument
authentication login
number count amount quantity
average mean
maximum highest largest
minimum lowest smallest
information detail
category type kind genre
tag label
house home property apartment
light lamp
loan mortgage
cryptocurrency crypto bitcoin coin
shipping delivery shipment parcel
product item
discount coupon deal
review rating feedback
concert show performance
university college school
course class lesson
paper publication research
chart graph plot diagram
summary summarize
note memo
task todo
`
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

/**
 * Technical abbreviations, each with its long forms. Unlike synonyms, they mean exactly the same. From
 * general knowledge; without abbreviations that are common words themselves ("temp", "doc" for a doctor).
 */
export const ABBREVIATIONS: readonly { readonly short: string; readonly long: readonly string[] }[] = `
admin administrator
app application
auth authentication
avg average
btc bitcoin
cfg configuration
ci continuous integration
config configuration
cv resume
db database
dept department
dest destination
dev development
diff difference
dir directory
dns domain name system
docs documentation
env environment
eth ethereum
fn function
func function
gh github
hr human resources
id identifier
img image
info information
ip internet protocol
k8s kubernetes
lang language
lib library
max maximum
mgmt management
min minimum
mr merge request
msg message
num number
ooo out office
org organization
param parameter
perf performance
pic picture
pkg package
pr pull request
prod production
pwd password
qty quantity
ref reference
repo repository
sms text message
spec specification
src source
stats statistics
sync synchronize
tx transaction
tz timezone
ui user interface
usr user
var variable
vm virtual machine
vpn virtual private network
`
  .trim()
  .split('\n')
  .map((line) => {
    const [short, ...long] = line.split(' ');
    return { short: short!, long };
  });

/**
 * Categories of things: people name the thing ("pizza", "rupee", "knee pain"), while tools are described by
 * the category ("recipe", "currency", "symptom"). One direction only, categories before the colon. From
 * general knowledge of the language.
 */
export const KINDS: readonly { readonly kinds: readonly string[]; readonly members: readonly string[] }[] = `
currency exchange: dollar euro yen pound rupee yuan peso franc won krona usd eur gbp jpy inr cny chf cad aud
cryptocurrency crypto: bitcoin ethereum dogecoin litecoin solana btc eth token blockchain
stock market finance: share ticker nasdaq dividend portfolio equity shareholder
investment finance: invest investor fund bond etf asset portfolio retirement pension
loan finance: mortgage lend borrow credit debt
bank account finance: deposit withdrawal withdraw balance checking savings iban
tax: vat deduction refund irs
insurance: premium claim coverage policyholder
food recipe: pizza pasta soup salad sandwich burger bread cake dessert chicken beef pork fish rice noodle curry vegetable fruit cheese egg breakfast lunch dinner supper snack
ingredient recipe: flour sugar butter salt spice garlic onion tomato
restaurant food: dine eat dining cafe bistro brunch takeout cuisine menu
drink beverage: coffee tea wine beer cocktail juice whiskey smoothie
nutrition diet health: calorie protein vitamin vegan vegetarian keto carb fat weight meal
weather forecast: rain snow sunny storm wind humidity temperature cloudy hurricane umbrella hot cold degree celsius fahrenheit
language translate: english spanish french german italian portuguese russian chinese mandarin japanese korean arabic hindi dutch turkish polish latin
word dictionary: spelling synonym antonym rhyme pronunciation vocabulary meaning phrase idiom
sport: football soccer basketball baseball tennis golf cricket hockey rugby volleyball boxing swimming cycling olympics nfl nba mlb nhl fifa
match score sport: league team player season tournament championship coach playoff
exercise fitness: yoga gym run jogging pushup squat muscle cardio stretch
game: chess poker puzzle quiz minecraft fortnite pokemon sudoku trivia
movie film: cinema actor actress director trailer hollywood netflix comedy thriller horror drama
tv show: series episode season sitcom
music song: album artist band singer lyrics concert playlist guitar piano melody rap jazz spotify
video: youtube clip vlog tiktok footage stream
podcast audio: episode
photo image: picture camera selfie portrait wallpaper logo icon drawing sketch illustration
art: painting museum painter sculpture gallery artwork
design: logo banner poster flyer template
book: novel author reading library ebook fiction literature
story: tale fairy bedtime fiction character
news: headline journalist press breaking
animal: dog cat bird horse fish wildlife species
pet: dog cat puppy kitten
plant garden: flower tree seed soil
health medical: disease symptom illness doctor patient hospital clinic pain fever headache cough flu diabetes cancer therapy
symptom health: headache fever cough nausea fatigue dizziness rash ache
doctor appointment: dentist physician surgeon checkup clinic
medicine drug: pill tablet antibiotic aspirin ibuprofen prescription dose dosage vaccine
mental health: anxiety depression stress mood therapist
sleep: insomnia bedtime nap
travel trip: vacation holiday journey itinerary destination tour tourist sightseeing backpacking
flight: airline airport plane fly boarding pilot airfare
hotel accommodation: hostel motel resort room airbnb lodging stay
transport: bus train subway metro taxi tram ferry commute
car vehicle: truck suv sedan motorcycle toyota honda ford tesla bmw
route direction: drive driving commute traffic distance mile
map location: nearby neighborhood street zip latitude longitude coordinate
country: usa america canada mexico brazil france germany italy spain uk britain england china japan india australia russia nation
city: london paris tokyo berlin york chicago boston rome madrid beijing sydney town capital
address location: street zip postal
date time calendar: monday tuesday wednesday thursday friday saturday sunday january february april june july august september october november december today tomorrow yesterday week month tonight
holiday: christmas easter thanksgiving halloween
timezone time: utc gmt est pst
event: party wedding conference festival concert birthday ceremony
ticket event: concert festival show
meeting calendar: appointment reschedule agenda invite
reminder task: todo deadline
email message: inbox outlook gmail mailbox attachment
message chat: whatsapp telegram slack discord sms texting
social post: facebook twitter instagram linkedin tiktok reddit tweet hashtag follower
phone call: dial voicemail mobile
contact: phone email acquaintance
job career: hire hiring resume interview salary recruiter vacancy employment
employee: staff worker colleague coworker
company business: startup firm enterprise corporation
customer: client buyer shopper
product shopping: buy purchase laptop phone headphone shoes shirt dress clothes gadget toy amazon ebay walmart brand
fashion clothing: dress shirt shoes outfit jacket wear
price: cheap cheapest expensive affordable budget cost discount
discount coupon: sale promo deal bargain voucher
order delivery: shipment package parcel courier tracking
gift: present birthday
payment: invoice card paypal stripe checkout
real estate property: house apartment rent tenant landlord condo realtor zillow
home: kitchen bedroom bathroom furniture decor
smart device: thermostat bulb lamp switch alexa
education course: learn study student teacher school university college lesson class tutorial lecture homework exam
math calculate: equation algebra geometry calculus arithmetic integral derivative sum multiply divide fraction
number calculate: prime factorial square root percentage
statistics: mean median variance deviation probability regression correlation
chemistry: molecule compound reaction element acid molar
physics: velocity acceleration force energy gravity momentum
biology: gene dna protein cell genome organism
astronomy space: planet mars moon star galaxy asteroid nasa satellite telescope orbit sun
science research: scientist experiment study paper
paper research: academic arxiv journal publication citation scholar thesis pubmed
history: war century ancient historical empire king
law legal: lawyer attorney court contract lawsuit judge crime statute
contract document: agreement clause lease
government: president election senate congress politics vote
patent: invention trademark
religion: bible church prayer quran verse god
horoscope astrology: zodiac aries taurus gemini leo virgo libra scorpio capricorn aquarius pisces
joke: funny laugh humor pun meme
quote: inspirational motivational saying proverb
code programming: python javascript java typescript rust golang ruby php function algorithm script developer software debug compile
repository code: github gitlab git
database: sql mysql postgres postgresql mongodb sqlite table query schema
server: host vm instance nginx apache
cloud: aws azure gcp s3 ec2 lambda
container: docker kubernetes pod
website web: page url site html css browser webpage domain seo
domain: dns whois registrar hostname
network: ip wifi router vpn firewall port
security: password vulnerability malware encryption phishing virus hack threat
file document: pdf docx doc xlsx csv txt spreadsheet folder
document text: essay article report letter paragraph
pdf document: page
spreadsheet data: excel csv xlsx sheet column row cell
chart graph visualization: plot histogram pie diagram bar line
data: dataset csv statistics table
image: png jpg jpeg gif svg
text writing: essay paragraph grammar sentence word blog
grammar writing: proofread punctuation typo
summary: summarize tldr brief overview
ai model: gpt chatgpt llm openai prompt neural
convert unit: kilogram pound mile kilometer meter foot feet inch liter gallon celsius fahrenheit ounce gram
color: red blue green hex rgb palette
search web: google bing wikipedia lookup internet online
survey form: questionnaire poll feedback
feedback review: rating opinion testimonial
support ticket: helpdesk complaint issue
bug issue: crash error defect
family: mother father mom dad son daughter wife husband child kid parent sister brother
child kid: toddler baby toy
dating: relationship girlfriend boyfriend
energy: electricity solar power battery gas
environment climate: carbon emission pollution recycling
agriculture: farm crop livestock
earthquake disaster: tsunami flood wildfire eruption
air quality: pollution smog aqi
ocean: wave tide surf beach
`
  .trim()
  .split('\n')
  .map((line) => {
    const [kinds, members] = line.split(':');
    return { kinds: kinds!.trim().split(' '), members: members!.trim().split(' ') };
  });

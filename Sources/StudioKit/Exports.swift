// The values that both kits share are part of this one's interface.
@_exported public import CamoTypes
